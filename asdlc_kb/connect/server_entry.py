"""What a client is connected to: an address it calls, or a command it starts.

A shape is an entry of a configuration with placeholders in it; a client's table row has
one for each kind of target.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit, urlunsplit

EntryShape: TypeAlias = Mapping[str, Any]

NAME: Final = re.compile("[a-z][a-z0-9-]{0,31}")
"""A server's name that every client takes."""

TOKEN_VARIABLE: Final = "ASDLC_KB_TOKEN"  # noqa: S105  (a name, no password)
"""What has the token, where nobody says otherwise."""

VARIABLE: Final = re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}")
"""The name of a variable that every client takes."""

_ADDRESS_KEYS: Final = ("url", "httpUrl", "serverUrl", "uri")
_COMMAND_KEYS: Final = ("command", "cmd")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A server that runs by itself."""

    url: str
    token_env: str | None = field(default=None, compare=False)
    """The variable that has the token it asks for, in the client's environment."""
    host: str | None = field(default=None, compare=False)
    """The Host header to send where it is not that of the address."""

    def __str__(self) -> str:
        return self.url

    @property
    def variable(self) -> str:
        """The variable from which we take a token for it."""
        return self.token_env or TOKEN_VARIABLE

    @property
    def is_plain_abroad(self) -> bool:
        """Whether it is without encryption and on another machine."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in _LOOPBACK


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """A server that the client starts: the program, with its absolute path, first."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join(self.words)


ServerEntry: TypeAlias = ServerAddress | ServerCommand


def is_url(text: str) -> bool:
    """Whether a text can be split as a URL and written down as UTF-8."""
    try:
        urlsplit(text).hostname  # noqa: B018 - it is what raises
        text.encode()
    except ValueError:
        return False
    return True


def bridge(address: ServerAddress) -> ServerCommand:
    """Return the command that stands for an address where only commands are taken."""
    allowance = ("--allow-http",) if address.is_plain_abroad else ()
    return ServerCommand(("npx", "-y", "mcp-remote", address.url, *allowance))


def fill_template(shape: Any, name: str, target: ServerEntry) -> Any:
    """Return a shape with the name and the target in the place of its placeholders."""
    if isinstance(shape, Mapping):
        return {key: fill_template(item, name, target) for key, item in shape.items()}
    if isinstance(shape, list | tuple):
        return [fill_template(item, name, target) for item in shape]
    if not isinstance(shape, str):
        return shape
    if isinstance(target, ServerAddress) and target.token_env is not None:
        # A reference to it is a part of a text.
        shape = shape.replace("{variable}", target.token_env)
    return _values(name, target).get(shape, shape)


def _values(name: str, target: ServerEntry) -> Mapping[str, Any]:
    if isinstance(target, ServerAddress):
        return {"{name}": name, "{url}": target.url}
    program, *arguments = target.words
    return {
        "{name}": name,
        "{command}": program,
        "{args}": arguments,
        "{line}": [program, *arguments],
    }


def read_target(entry: object) -> ServerEntry | None:
    """Return what an entry of any client leads to; None if that cannot be told.

    The entry is untrusted: a URL that is none leads nowhere.
    """
    if not isinstance(entry, Mapping):
        return None
    for key in _ADDRESS_KEYS:
        if isinstance(url := entry.get(key), str):
            return ServerAddress(url) if is_url(url) else None
    for key in _COMMAND_KEYS:
        words = _words(entry.get(key), entry.get("args", []))
        if words:
            return ServerCommand(words)
    return None


def describe(target: ServerEntry) -> str:
    """Return where a target of others leads, without what may be a secret of theirs.

    Keys stand in arguments, in queries, and in front of hosts.
    """
    if isinstance(target, ServerCommand):
        return target.words[0]
    parts = urlsplit(target.url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _words(program: object, arguments: object) -> tuple[str, ...]:
    """Return a command line that is spelled as text and list, or as one list."""
    parts: list[object] = list(program) if isinstance(program, list) else [program]
    if isinstance(arguments, Sequence) and not isinstance(arguments, str):
        parts += arguments
    words = tuple(part for part in parts if isinstance(part, str))
    return words if len(words) == len(parts) else ()
