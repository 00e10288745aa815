"""Connection targets: an address to call, or a command to start.

An entry shape is a configuration entry with placeholders; a client's table row has one
for each kind of target.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit, urlunsplit

EntryShape: TypeAlias = Mapping[str, Any]

NAME: Final = re.compile("[a-z][a-z0-9-]{0,31}")
"""Server names that every client accepts."""

TOKEN_VARIABLE: Final = "ASDLC_KB_TOKEN"  # noqa: S105  (a name, no password)
"""The default variable of the token."""

VARIABLE: Final = re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}")
"""Variable names that every client accepts."""

_ADDRESS_KEYS: Final = ("url", "httpUrl", "serverUrl", "uri")
_COMMAND_KEYS: Final = ("command", "cmd")
_PROGRAMS: Final = frozenset({"asdlc-kb", "asdlc_kb"})
"""This program, as a script and as a module."""
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """A remote or separately started server."""

    url: str
    token_env: str | None = field(default=None, compare=False)
    """The variable of the required token, in the client's environment."""
    host: str | None = field(default=None, compare=False)
    """The Host header, if it differs from the address."""
    verifies: bool = field(default=True, compare=False)
    """Whether a probe verifies the certificate."""

    def __str__(self) -> str:
        return self.url

    @property
    def variable(self) -> str:
        """The variable that a probe reads the token from."""
        return self.token_env or TOKEN_VARIABLE

    @property
    def is_insecure_remote(self) -> bool:
        """Whether it is unencrypted and on another machine."""
        parts = urlsplit(self.url)
        return parts.scheme == "http" and parts.hostname not in _LOOPBACK


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """A server that the client starts: an absolute program path, and arguments."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join(self.words)


ServerEntry: TypeAlias = ServerAddress | ServerCommand


def is_url(text: str) -> bool:
    """Whether a text can be parsed as a URL and encoded as UTF-8."""
    try:
        urlsplit(text).hostname  # noqa: B018 - it is what raises
        text.encode()
    except ValueError:
        return False
    return True


def bridge(address: ServerAddress) -> ServerCommand:
    """Return the `mcp-remote` command for clients that support commands only."""
    allowance = ("--allow-http",) if address.is_insecure_remote else ()
    return ServerCommand(("npx", "-y", "mcp-remote", address.url, *allowance))


def fill_template(shape: Any, name: str, target: ServerEntry) -> Any:
    """Substitute the name and the target for the placeholders of a shape."""
    if isinstance(shape, Mapping):
        return {key: fill_template(item, name, target) for key, item in shape.items()}
    if isinstance(shape, list | tuple):
        return [fill_template(item, name, target) for item in shape]
    if not isinstance(shape, str):
        return shape
    if isinstance(target, ServerAddress) and target.token_env is not None:
        # A reference to it can be part of a string.
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
    """Return the target of any client's entry; None if it is not recognized.

    The entry is untrusted: an invalid URL is no target.
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


def starts_this_program(target: ServerEntry | None) -> bool:
    """Whether a target is a command that starts this program, with any options."""
    if not isinstance(target, ServerCommand):
        return False
    program, *arguments = target.words
    return not _PROGRAMS.isdisjoint((PurePath(program).stem, *arguments))


def describe(target: ServerEntry) -> str:
    """Describe another server's target without possible secrets.

    Keys can be in arguments, queries and user information.
    """
    if isinstance(target, ServerCommand):
        return target.words[0]
    parts = urlsplit(target.url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def _words(program: object, arguments: object) -> tuple[str, ...]:
    """Return a command line given as string and list, or as one list."""
    parts: list[object] = list(program) if isinstance(program, list) else [program]
    if isinstance(arguments, Sequence) and not isinstance(arguments, str):
        parts += arguments
    words = tuple(part for part in parts if isinstance(part, str))
    return words if len(words) == len(parts) else ()
