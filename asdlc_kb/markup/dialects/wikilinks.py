"""Wikilinks: `[[Page#Heading|text]]`, and embedded files: `![[picture.png|300]]`."""

import re
from collections.abc import Iterator
from html import escape
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from asdlc_kb.markup.anchors import Anchors
from asdlc_kb.markup.dialects.dialect import InlineRule
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.source import Output

_LINK: Final = re.compile(r"(!)?\[\[([^\[\]\n]{1,500}+)\]\]")
_SEPARATOR: Final = re.compile(r"\\?\||\0\d+\0")
"""A bar; in tables it is escaped, so that it stands for stored text."""

_SIZE: Final = re.compile(r"(\d{1,5})(?:x(\d{1,5}))?")
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,8}")
_PICTURES: Final = frozenset(
    {".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".bmp"}
)


def find_embedded_notes(text: str) -> Iterator[Include]:
    """Yield the notes, and their sections, that a text embeds."""
    for found in _LINK.finditer(text):
        target, heading, _ = _read(found[2])
        if found[1] and target and not _has_suffix(target, of_note=False):
            if heading.startswith("^"):
                heading = ""
            heading = heading.rpartition("#")[2].strip()
            path = target if target.endswith(".md") else f"{target}.md"
            yield Include(*found.span(), path, heading=heading)


def _read(inside: str) -> tuple[str, str, str]:
    """Return target, heading and words of a wikilink."""
    parts = _SEPARATOR.split(inside, maxsplit=1)
    target, _, heading = parts[0].strip().partition("#")
    return target.strip(), heading.strip(), parts[1].strip() if len(parts) > 1 else ""


def _has_suffix(target: str, *, of_note: bool) -> bool:
    suffix = PurePosixPath(target).suffix
    is_file = _SUFFIX.fullmatch(suffix) is not None and not suffix[1:].isdigit()
    return is_file and (of_note or suffix.lower() != ".md")


def _write(found: re.Match[str], output: Output) -> str:
    target, heading, words = _read(found[2])
    if not target and not heading:
        return found[0]
    is_picture = PurePosixPath(target).suffix.lower() in _PICTURES
    if found[1] and is_picture:
        return _write_picture(target, words, output)
    address = quote(target, safe="/:@!$&'*+,;=~")
    if target and not _has_suffix(target, of_note=True):
        address += ".md"
    if heading and not heading.startswith("^"):
        anchor = Anchors().add(heading.rpartition("#")[2].strip())
        address += f"#{quote(anchor, safe='')}"
    if not address:
        return words
    shown = heading.replace("#", " > ") if not heading.startswith("^") else ""
    name = " > ".join(part for part in (target, shown) if part)
    return f"[{words or name}]({address})"


def _write_picture(target: str, words: str, output: Output) -> str:
    """Return a picture; what stands behind the bar is its size or its text."""
    size = _SIZE.fullmatch(words)
    alt = PurePosixPath(target).stem if size or not words else words
    address = quote(target, safe="/:@!$&'*+,;=~")
    if size is None or output is not Output.HTML:
        return f"![{alt}]({address})"
    height = f' height="{size[2]}"' if size[2] else ""
    shown = f'src="{escape(address)}" alt="{escape(alt)}"'
    return f'<img {shown} width="{size[1]}"{height}>'


WIKILINK: Final = InlineRule(_LINK, _write, in_addresses=True)
"""Links are resolved later, by the name of the file."""
