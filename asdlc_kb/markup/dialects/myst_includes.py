"""Files that pages of MyST include: texts, and code between lines or words."""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from asdlc_kb.markup.dialects.elements import TagArguments
from asdlc_kb.markup.dialects.includes import Include
from asdlc_kb.markup.dialects.myst_directives import (
    FENCED,
    find_fence_end,
    find_text_lines,
    read_directive,
)

_INCLUDES: Final = frozenset({"include", "literalinclude"})
_LINES: Final = re.compile(r"(\d{1,7})?(-)?(\d{1,7})?")


def find_myst_includes(text: str) -> Iterator[Include]:
    """Yield the includes that are not in code."""
    if "include}" not in text:
        return
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for at in find_text_lines(lines):
        bare = lines[at].strip()
        first = FENCED.match(bare)
        if first is None or first["name"].lower() not in _INCLUDES:
            continue
        end = min(find_fence_end(lines, at, first["mark"]), len(lines) - 1)
        found = read_directive(first, lines[at + 1 : end])
        begin = starts[at] + lines[at].index(bare)
        yield _read(
            found.name, found.argument, found.options, begin, starts[end + 1] - 1
        )


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
