"""Chunks of a text too large for one result.

The first chunk begins with the outline of the whole text; each ends with the cursor of
the next. Chunks are split between sections or paragraphs, inside a code block only if
it is larger than a chunk. Concatenated, they are the text.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final, ParamSpec, TypeVar

from msgspec import UNSET, Meta, UnsetType

from asdlc_kb.markup.split_points import find_split_points
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.cursors import (
    MAX_CURSOR_CHARS,
    cursor_fingerprint,
    read_cursor,
    write_cursor,
)
from asdlc_kb.providers.shared.size_budget import (
    MAX_CHARS,
    MIN_CHARS,
    SizeBudget,
)

if TYPE_CHECKING:
    from asdlc_kb.markup.sections import Section

P = ParamSpec("P")
T = TypeVar("T")

_RESERVED_CHARS: Final = 300
"""Characters reserved for the fields of a chunk, and for what separates its parts."""

_MIN_TEXT_CHARS: Final = MIN_CHARS // 2
"""Characters of a text that a chunk has even if they exceed its size budget."""

_THREAD_CHARS: Final = 20_000
"""Characters from which a text is split in a thread: about 3 ms."""

_OUTLINE_SHARE: Final = 4
"""Divisor: the outline's maximum share of the first result."""

MaxChars = Annotated[
    int,
    Meta(
        ge=MIN_CHARS,
        le=MAX_CHARS,
        description="Most characters of the answer; the rest comes by cursor",
    ),
]
Cursor = Annotated[
    str,
    Meta(
        max_length=MAX_CURSOR_CHARS,
        description="From the answer before; same arguments",
    ),
]

Sections = Annotated[
    list[Annotated[str, Meta(max_length=500)]],
    Meta(
        max_length=50,
        description=(
            "Only these, by heading or anchor, with those below them; "
            '[""]: the text before the first'
        ),
    ),
]

SECTIONS_ADVICE: Final = "Or name `sections` of its outline."

IncludeImages = Annotated[bool, Meta(description="Also return its pictures")]


class OutlineEntry(ToolAnswer, frozen=True, kw_only=True):
    """A section; with its anchor and its size, subsections included, if all fit so."""

    heading: str
    anchor: str | UnsetType = UNSET
    level: int
    characters: int | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of a text."""

    text: str
    start: int
    end: int
    total: int
    """Characters of the whole text."""
    next_cursor: str | UnsetType = UNSET
    outline: tuple[OutlineEntry, ...] | UnsetType = UNSET
    """Of the whole text, in the first of several chunks."""
    omitted: int = 0
    """Number of sections that the outline has no room for."""

    @property
    def is_whole(self) -> bool:
        """Whether the chunk is the whole text."""
        return self.end - self.start == self.total

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of an answer that contains the chunk."""
        return {
            "content": self.text,
            "characters": self.total,
            "start": self.start,
            "end": self.end,
            "outline": self.outline,
            "next_cursor": self.next_cursor,
        }


def needs_thread(chars: int) -> bool:
    """Whether a text is too large to be split on the event loop."""
    return chars > _THREAD_CHARS


async def run_for_text(
    chars: int, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a function that reads a text, in a thread if the text is large."""
    if needs_thread(chars):
        return await asyncio.to_thread(function, *args, **kwargs)
    return function(*args, **kwargs)


def cut_chunk(
    text: str,
    cursor: str | UnsetType,
    sections: "Callable[[], Sequence[Section]]",
    budget: SizeBudget,
    *,
    shows_outline: bool = True,
) -> Chunk:
    """Return the chunk at a cursor; raise ToolFailure for an invalid cursor.

    It fits the budget, outline included, which it may have none of. Blocks while it
    parses a text that does not fit; `sections` is called only for the first of several
    chunks.
    """
    total = len(text)
    is_first = isinstance(cursor, UnsetType)
    if is_first and (total <= _MIN_TEXT_CHARS or budget.count_fitting(text) == total):
        return Chunk(text, 0, total, total)
    fingerprint = cursor_fingerprint(text)
    start = read_cursor(cursor, fingerprint, total)
    outline: tuple[OutlineEntry, ...] = ()
    omitted = 0
    if not start and shows_outline:
        outline, omitted = _outline(sections(), budget.chars // _OUTLINE_SHARE)
        budget = budget.spend(outline if budget.is_json else show_outline(outline))
    budget = replace(budget, chars=budget.chars - _RESERVED_CHARS)
    fitting = budget.count_fitting(text[start : start + max(budget.chars, 0)])
    limit = max(fitting, _MIN_TEXT_CHARS)
    end = find_split_points(text).find_end(start, limit)
    following = write_cursor(end, fingerprint) if end < total else UNSET
    return Chunk(
        text[start:end], start, end, total, following, outline or UNSET, omitted
    )


def show_chunk(part: Chunk) -> str:
    """Format a chunk as text, the first of several with the outline above it."""
    if isinstance(part.outline, UnsetType):
        return part.text
    more = f"\n- … {part.omitted:,} more" if part.omitted else ""
    return f"Outline:\n\n{show_outline(part.outline)}{more}\n\n---\n\n{part.text}"


def describe_chunk(part: Chunk, advice: str = "") -> tuple[str, ...]:
    """Return sentences on the parts of a text that a chunk leaves out, if any.

    `advice` names alternatives to requesting the next chunk.
    """
    if part.is_whole:
        return ()
    where = f"Characters {part.start + 1:,} to {part.end:,} of {part.total:,}."
    if not part.next_cursor:
        return (f"{where} This is the last part.",)
    return tuple(filter(None, (where, f'Next: cursor "{part.next_cursor}".', advice)))


def show_outline(outline: Sequence[OutlineEntry]) -> str:
    """Format an outline as a list nested by heading level."""
    top = min((entry.level for entry in outline), default=1)
    return "\n".join(
        f"{'  ' * (entry.level - top)}- {entry.heading}{_show_size(entry)}"
        for entry in outline
    )


def _show_size(entry: OutlineEntry) -> str:
    if not entry.characters:
        return ""
    return f" (#{entry.anchor}, {entry.characters:,} characters)"


def _outline(
    sections: "Sequence[Section]", max_chars: int
) -> tuple[tuple[OutlineEntry, ...], int]:
    """Return as much of the outline as fits, and the number of sections left out.

    Lower levels are left out first. If only one section is left then, anchors and sizes
    are, and the last sections of one level with all below that level.
    """
    entries = _measure(sections)
    for lowest in sorted({entry.level for entry in entries}, reverse=True):
        shown = [entry for entry in entries if entry.level <= lowest]
        is_useful = len(shown) > 1 or len(shown) == len(entries)
        if is_useful and len(show_outline(shown)) <= max_chars:
            return tuple(shown), len(entries) - len(shown)
    entries = [OutlineEntry(heading=e.heading, level=e.level) for e in entries]
    shown = []
    for level in sorted({entry.level for entry in entries}):
        left = max_chars - len(show_outline(shown))
        shown = [entry for entry in entries if entry.level <= level]
        if len(show_outline(shown)) > max_chars:
            shown = list(_cut_level(shown, level, left))
            break
    return tuple(shown), len(entries) - len(shown)


def _cut_level(
    entries: Iterable[OutlineEntry], level: int, max_chars: int
) -> Iterator[OutlineEntry]:
    """Yield entries, those of a level only while they fit."""
    for entry in entries:
        if entry.level == level:
            max_chars -= len(show_outline([entry])) + 2 * level
        if entry.level < level or max_chars >= 0:
            yield entry


def _measure(sections: "Sequence[Section]") -> list[OutlineEntry]:
    """Return the sections with their sizes, subsections included."""
    ends = [0]
    for section in sections:
        ends.append(ends[-1] + len(section.markdown))
    entries: list[OutlineEntry] = []
    last: dict[int, int] = {}
    """By level, the start of the next section at that level or above."""
    for number in range(len(sections) - 1, -1, -1):
        section = sections[number]
        if not section.level:
            continue
        end = min((last[n] for n in last if n <= section.level), default=ends[-1])
        last = {n: at for n, at in last.items() if n < section.level}
        last[section.level] = ends[number]
        entries.append(
            OutlineEntry(
                heading=section.heading,
                anchor=section.anchor,
                level=section.level,
                characters=end - ends[number],
            )
        )
    return entries[::-1]
