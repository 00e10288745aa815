"""Files that pages of MyST include: texts, and code between lines or words."""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.markup.blocks import FENCE_MARK
from asdlc_kb.markup.dialects.elements import TagArguments
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.myst_directives import (
    CODE,
    FENCED,
    closes_fence,
    find_fence_end,
    read_directive,
)

_INCLUDES: Final = frozenset({"include", "literalinclude"})
_PLAIN: Final = re.compile(rf"({FENCE_MARK})")
_LINES: Final = re.compile(r"(\d{1,7})?(-)?(\d{1,7})?")


def find_myst_includes(text: str) -> Iterator[Include]:
    """Yield the includes that are not in code."""
    if "include}" not in text:
        return
    lines = text.split("\n")
    opened: list[tuple[str, bool]] = []
    at = start = 0
    while at < len(lines):
        bare = lines[at].strip()
        first = at
        mark, is_code = opened[-1] if opened else ("", False)
        directive = FENCED.match(bare)
        if mark and closes_fence(bare, mark):
            opened.pop()
        elif is_code:
            pass
        elif directive and directive["name"].lower() in _INCLUDES:
            at = min(find_fence_end(lines, at, directive["mark"]), len(lines) - 1)
            found = read_directive(directive, lines[first + 1 : at])
            begin = start + lines[first].index(bare)
            end = start + sum(len(line) + 1 for line in lines[first : at + 1]) - 1
            yield _read(
                found.name, found.argument, found.options, begin, min(end, len(text))
            )
        elif directive:
            opened.append((directive["mark"], directive["name"].lower() in CODE))
        elif plain := _PLAIN.match(bare):
            opened.append((plain[1], True))
        start += sum(len(line) + 1 for line in lines[first : at + 1])
        at += 1


def _read(name: str, path: str, options: TagArguments, start: int, end: int) -> Include:
    language = None
    if name == "literalinclude" or {"literal", "code"} & options.named.keys():
        suffix = path.rpartition("/")[2].rpartition(".")[2]
        language = options.get("language", "code", "lang") or suffix
    ranges = tuple(_read_ranges(options.get("lines")))
    lines = options.named.get("start-line", ""), options.named.get("end-line", "")
    if any(each.isdigit() for each in lines):
        # Counted from 0, the last one not included.
        first, last = (int(each) if each.isdigit() else None for each in lines)
        ranges = (((first or 0) + 1, last),)
    return Include(
        start,
        end,
        path,
        ranges,
        language=language,
        after=options.get("start-after"),
        before=options.get("end-before"),
        has_own_links=language is None,
    )


def _read_ranges(text: str) -> Iterator[tuple[int, int | None]]:
    """Yield the ranges of `1,3-5,7-`."""
    for part in filter(None, text.replace(" ", "").split(",")):
        found = _LINES.fullmatch(part)
        if found is not None:
            first, last = int(found[1] or 1), int(found[3]) if found[3] else None
            yield max(1, first), last if found[2] else first
