"""The frontmatter of a file: cut off, and read as texts with their places.

Most of it is plain and is read as such; the rest is left to the YAML parser, which is
not even loaded until a file needs it.
"""

import re
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import FrontmatterError, FrontmatterUnclosed
from asdlc_kb.frontmatter.nodes import Mapping
from asdlc_kb.frontmatter.yaml_fast import read_fast

MAX_FRONTMATTER_BYTES: Final = 16 * 1024
"""Bytes of frontmatter."""

_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"\n---[ \t]*(?:\n|\Z)")


_FENCES: Final = ("---", "+++", "{")
"""What frontmatter begins with: YAML, TOML, JSON."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A document cut in two; `frontmatter` is None where there is none."""

    frontmatter: str | None
    body: str


def require_complete(text: str) -> None:
    """Raise FrontmatterUnclosed for a text that is empty or the beginning of a fence.

    A file is so for a moment while it is written anew.
    """
    said = text.strip()
    if not said:
        message = "the file is empty, so it counts as unfinished: write or remove it"
        raise FrontmatterUnclosed(message, 1, 1)
    for fence in _FENCES:
        if fence.startswith(said):
            raise unclosed_error("}" if fence == "{" else fence)


def unclosed_error(fence: str) -> FrontmatterUnclosed:
    """Return the error for frontmatter without this fence at its end."""
    message = f"frontmatter has no end: add a line '{fence}' below it"
    return FrontmatterUnclosed(message, 1, 1)


def check_size(size: int) -> None:
    """Raise FrontmatterError for more than `MAX_FRONTMATTER_BYTES`."""
    if size > MAX_FRONTMATTER_BYTES:
        limit = f"{MAX_FRONTMATTER_BYTES:,} bytes"
        message = f"frontmatter is larger than {limit}: move text to the body"
        raise FrontmatterError(message, 1, 1)


def split(text: str) -> Parts:
    """Cut a document at its fences; raise FrontmatterUnclosed if they do not close."""
    opened = _OPEN.match(text)
    if opened is None:
        return Parts(None, text)
    begin = opened.end()
    closed = _CLOSE.search(text, begin - 1)
    if closed is None:
        raise unclosed_error("---")
    return Parts(text[begin : closed.start() + 1], text[closed.end() :])


def parse(frontmatter: str) -> Mapping:
    """Return the values of a frontmatter, which starts on line 2 of its file.

    Raises FrontmatterError with the place and what to do.
    """
    check_size(len(frontmatter.encode("utf-8", "surrogatepass")))
    if (plain := read_fast(frontmatter)) is not None:
        return plain
    from asdlc_kb.frontmatter.yaml_full import read_yaml

    return read_yaml(frontmatter)
