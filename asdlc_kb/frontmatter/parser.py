"""YAML frontmatter: split from its file, and parsed into nodes with positions.

Plain frontmatter, as most is, takes the fast parser; the full YAML parser is imported
only when a file needs it.
"""

import re
from dataclasses import dataclass
from typing import Final

from asdlc_kb.exceptions import FrontmatterError, FrontmatterUnclosed
from asdlc_kb.frontmatter.nodes import Mapping
from asdlc_kb.frontmatter.yaml_fast import read_fast

MAX_FRONTMATTER_BYTES: Final = 16 * 1024
"""Bytes of frontmatter in one file."""

YAML_FENCE: Final = "---"
TOML_FENCE: Final = "+++"
_CLOSING: Final = {
    fence: re.compile(rf"\n{re.escape(fence)}[ \t]*(?:\n|\Z)")
    for fence in (YAML_FENCE, TOML_FENCE)
}

_FENCES: Final = (YAML_FENCE, TOML_FENCE, "{")
"""Opening fences of YAML, TOML and JSON frontmatter."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A document split in two; `frontmatter` is None without any."""

    frontmatter: str | None
    body: str


def require_complete(text: str) -> None:
    """Raise FrontmatterUnclosed for a text that is empty or the beginning of a fence.

    A file is briefly in this state while it is rewritten.
    """
    stripped = text.strip()
    if not stripped:
        message = "the file is empty, so it counts as unfinished: write or remove it"
        raise FrontmatterUnclosed(message, 1, 1)
    for fence in _FENCES:
        if fence.startswith(stripped):
            raise unclosed_error("}" if fence == "{" else fence)


def unclosed_error(fence: str) -> FrontmatterUnclosed:
    """Return the error for frontmatter without this closing fence."""
    message = f"frontmatter is not closed: add a line '{fence}' below it"
    return FrontmatterUnclosed(message, 1, 1)


def check_size(size: int) -> None:
    """Raise FrontmatterError for more than `MAX_FRONTMATTER_BYTES`."""
    if size > MAX_FRONTMATTER_BYTES:
        limit = f"{MAX_FRONTMATTER_BYTES:,} bytes"
        message = f"frontmatter is larger than {limit}: move text to the body"
        raise FrontmatterError(message, 1, 1)


def split(text: str, fence: str = YAML_FENCE) -> Parts:
    """Split a document at its fences; raise FrontmatterUnclosed without the second."""
    end = text.find("\n")
    if end < 0 or not text.startswith(fence) or text[len(fence) : end].strip(" \t"):
        return Parts(None, text)
    closed = _CLOSING[fence].search(text, end)
    if closed is None:
        raise unclosed_error(fence)
    return Parts(text[end + 1 : closed.start() + 1], text[closed.end() :])


def parse(frontmatter: str) -> Mapping:
    """Parse frontmatter, which starts on line 2 of its file.

    Raises FrontmatterError with the position and the fix.
    """
    check_size(len(frontmatter.encode("utf-8", "surrogatepass")))
    if (plain := read_fast(frontmatter)) is not None:
        return plain
    from asdlc_kb.frontmatter.yaml_full import read_yaml

    return read_yaml(frontmatter)
