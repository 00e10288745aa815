"""The frontmatter of a file: cut off, and read as texts with their places.

Most of it is plain and is read as such; the rest is left to the YAML parser, which is
not even loaded until a file needs it.
"""

import re
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.files.plain import read_plain
from asdlc_kb.files.values import Mapping

LARGEST: Final = 16 * 1024
"""Bytes of frontmatter."""

_OPEN = re.compile(r"---[ \t]*\n")
_CLOSE = re.compile(r"\n---[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Parts:
    """A document cut in two; `frontmatter` is None where there is none."""

    frontmatter: str | None
    body: str


def split(text: str) -> Parts:
    """Cut a document at its fences; raise FrontmatterError if they do not close."""
    opened = _OPEN.match(text)
    if opened is None:
        return Parts(None, text)
    begin = opened.end()
    closed = _CLOSE.search(text, begin - 1)
    if closed is None:
        message = "frontmatter has no end: add a line '---' below it"
        raise FrontmatterError(message, 1, 1)
    return Parts(text[begin : closed.start() + 1], text[closed.end() :])


def parse(frontmatter: str) -> Mapping:
    """Return the values of a frontmatter, which starts on line 2 of its file.

    Raises FrontmatterError with the place and what to do.
    """
    if len(frontmatter.encode("utf-8")) > LARGEST:
        message = f"frontmatter is larger than {LARGEST:,} bytes: move text to the body"
        raise FrontmatterError(message, 1, 1)
    if (plain := read_plain(frontmatter)) is not None:
        return plain
    from asdlc_kb.files.composer import read_yaml

    return read_yaml(frontmatter)
