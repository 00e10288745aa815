"""The server entry for clients: the address to call, or the command to start."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import click

from asdlc_kb import app
from asdlc_kb.app.identity import NEUTRAL_ENTRY
from asdlc_kb.exceptions import KnowledgeBaseError, OperationalError
from asdlc_kb.local_address import find_local_url
from asdlc_kb.settings import MEMORY, Settings, list_values
from asdlc_kb.settings_patterns import URL_PATTERN, read_named

PROGRAM: Final = (sys.executable, "-P", "-m", "asdlc_kb")
"""The command that starts this program in any folder.

Without -P Python imports from the working directory first, which is the project that is
open in the client.
"""

_REFERENCE: Final = re.compile(r"\$\w|\$\{|\{(?:env|file|input):|%[A-Za-z_]\w*%|\{\{")
"""References that some client replaces by a variable, a file or an input."""

_FOLDERS: Final = frozenset({"docs", "project"})
"""Settings that name folders which must exist."""
_PATHS: Final = _FOLDERS | {"cache_dir", "synonyms"}


def find_address(settings: Settings, port: int) -> str:
    """Return the address of the MCP endpoint for a client on this machine."""
    if settings.base_url:
        return f"{settings.base_url.rstrip('/')}/mcp"
    return find_local_address(settings, port)


def find_local_address(settings: Settings, port: int) -> str:
    """Return the address, on this machine, of a server on the settings' host."""
    return f"{find_local_url(settings, port)}/mcp"


def find_entry_name(settings: Settings) -> str:
    """Return the name of the server in clients: that of the content, as in the banner.

    Without anything to serve it is a neutral one.
    """
    try:
        sources = app.open_sources(settings)
    except KnowledgeBaseError:
        return NEUTRAL_ENTRY
    return app.identify_server(settings, sources).entry


def find_command(settings: Settings, stdio: click.Command) -> tuple[str, ...]:
    """Return the command that starts `stdio` with these settings from any folder.

    Every path is absolute: graphical programs have neither our working directory nor
    the shell's PATH. Raises OperationalError if there is nothing to serve.
    """
    values, defaults = list_values(settings), list_values(Settings())
    words = [*PROGRAM, "stdio"]
    has_others = any(values.get(name) for name in _FOLDERS)
    if settings.content is not None or not has_others:
        content = app.find_content(settings)
        words.append(_absolute(str(content), must_exist=True))
    for option in stdio.params:
        name = option.name or ""
        if isinstance(option, click.Option) and name in values and name != "debug":
            words += _format_option(option, values[name], defaults[name])
    refuse_references(words)
    return tuple(words)


def refuse_references(words: Iterable[str]) -> None:
    """Raise OperationalError for a word with a reference that a client would replace.

    Clients have different references, and few can escape them.
    """
    for word in words:
        if (match := _REFERENCE.search(word)) is not None:
            raise OperationalError(
                f"{word!a}: clients replace text that begins with {match[0]!r} by a "
                "variable or a file: remove it"
            )


def check_url(
    context: click.Context, parameter: click.Parameter, url: str | None
) -> str | None:
    """Return an address if it is valid for `base_url`; raise BadParameter.

    One without a path, as in a browser, is that of the endpoint below it.
    """
    if url is None:
        return None
    from asdlc_kb.connect.server_entry import is_url

    if not (re.fullmatch(URL_PATTERN, url) and is_url(url)):
        message = f"'{url}' is not a valid address such as https://kb.example.com/mcp"
        raise click.BadParameter(message)
    return url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/mcp"


def _format_option(
    option: click.Option, value: object, default: object
) -> Iterator[str]:
    """Yield the words of one option, none if the setting has its default."""
    if value == default:
        return
    if isinstance(value, bool):
        yield option.opts[-1] if value else option.secondary_opts[-1]
        return
    for item in value if isinstance(value, tuple | list) else (value,):
        text = str(item)
        if option.name in _PATHS and text != MEMORY:
            name, path = read_named(text) if option.name == "docs" else ("", text)
            path = _absolute(path, must_exist=option.name in _FOLDERS)
            text = f"{name}={path}" if name else path
        yield from (option.opts[-1], text)


def _absolute(path: str, *, must_exist: bool) -> str:
    written = Path(path).absolute()
    absolute = Path(os.path.normpath(written))
    # Behind a link, `..` leads elsewhere.
    if not (absolute.exists() and written.exists() and absolute.samefile(written)):
        absolute = written
    if not _is_writable(str(absolute)):
        raise OperationalError(
            f"{absolute}: clients' files accept only names in UTF-8: rename it"
        )
    if must_exist and not absolute.is_dir():
        raise OperationalError(f"no such folder: {absolute}")
    return str(absolute)


def _is_writable(text: str) -> bool:
    """Whether a text can be encoded: a name on disk can be any bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
