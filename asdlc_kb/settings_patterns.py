"""Patterns that the values of settings match."""

import re
from typing import Final, NamedTuple, get_args

from asdlc_kb.markup.dialects.names import DialectName

URL_PATTERN: Final = (
    r"^https?://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?(/[^\s?#\x22\\]*)?\Z"
)
"""A public address."""
EDIT_URL_PATTERN: Final = (
    r"^https?://[^\s/?#{}]+/[^\s{}]*"
    r"(\{file\}|(\{folder\}[^\s{}]*)?\{path\})[^\s{}]*\Z"
)
"""The template of a file's edit address."""
IMAGE_URL_PATTERN: Final = r"^https?://[^\s/?#\x22<>\\]+/[^\s\x22<>\\]+\Z"
"""The address of a picture."""
CONTENT_SIGNAL_PATTERN: Final = (
    r"^(search|ai-input|ai-train)=(yes|no)"
    r"(, ?(search|ai-input|ai-train)=(yes|no)){0,2}\Z"
)
"""A Content-Signal value."""
NAME_PATTERN: Final = (
    r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]*\Z"
)
"""A line of text in any format: not blank, without line ends, control characters and
noncharacters."""
SCOPE_PATTERN: Final = r"^[!#-\[\]-~]+( [!#-\[\]-~]+)*\Z"
"""Scopes separated by spaces (RFC 6749, 3.3)."""
BUS_URL_PATTERN: Final = r"^(rediss?|unix|postgres(ql)?)://\S+\Z"
"""The URL of a Redis or a PostgreSQL database."""
STORE_URL_PATTERN: Final = r"^postgres(ql)?://\S*\Z"
"""PostgreSQL addresses: the primary, then its replicas; each may have several hosts."""
HOST_PATTERN: Final = r"^[^\s/?#@\x22\\]+\Z"
"""A host name or an address, with or without a port."""
ORIGIN_PATTERN: Final = (
    r"^[A-Za-z][A-Za-z0-9+.-]*://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?/?\Z"
)
"""A web origin (RFC 6454, 6.2), of a page or of a browser extension. Not `null`: every
sandboxed frame sends that."""
SERVER_NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z"
"""The name of the server in the protocol."""
TREE_NAME_PATTERN: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""The name of a documentation tree, the first part of its addresses."""
DIALECT_PATTERN: Final = (
    rf"^({TREE_NAME_PATTERN}=)?({'|'.join(get_args(DialectName))})\Z"
)
"""A dialect of Markdown, and the tree that has it."""
LANGUAGE_PATTERN: Final = (
    rf"^({TREE_NAME_PATTERN}=)?[A-Za-z]{{2,3}}(-[A-Za-z0-9]{{2,8}}){{0,3}}\Z"
)
"""A language tag (BCP 47), and the tree that has it."""


class NamedValue(NamedTuple):
    """A value of `[NAME=]VALUE`: of a documentation tree."""

    name: str
    """Empty for the unnamed tree."""
    value: str


def read_named(text: str) -> NamedValue:
    """Return name and value; `./a=b` is a folder with that name."""
    name, sign, value = text.partition("=")
    is_named = sign and value and re.fullmatch(TREE_NAME_PATTERN, name)
    return NamedValue(name, value) if is_named else NamedValue("", text)
