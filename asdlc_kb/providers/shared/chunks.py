"""A text that is too large for one answer, in parts.

The first part begins with the outline of the whole; each ends with the cursor of the
next. Parts are cut between sections or paragraphs, inside code only where one piece
of it is larger than a part. Joined, they are the text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from asdlc_kb.markup.split_points import find_split_points
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.cursors import (
    MAX_CURSOR_CHARS,
    cursor_fingerprint,
    read_cursor,
    write_cursor,
)

if TYPE_CHECKING:
    from asdlc_kb.markup.sections import Section

MIN_CHARS: Final = 1_000
MAX_CHARS: Final = 80_000

DEFAULT_CHARS: Final = 36_000
"""Characters of an answer where none are named. It is sent as text and as structured
content, and both together stay below `MAX_CHARS`."""

_NOTES: Final = 500
"""Characters kept free for what is said around a part."""

_OUTLINE_SHARE: Final = 4
"""The outline takes no more than this part of the first answer."""

MaxChars = Annotated[
    int,
    Meta(
        ge=MIN_CHARS,
        le=MAX_CHARS,
        description="The most characters of one answer; what is longer comes in parts",
    ),
]
Cursor = Annotated[
    str,
    Meta(
        max_length=MAX_CURSOR_CHARS,
        description="The nextCursor of the answer before, with the same arguments",
    ),
]


class OutlineEntry(ToolAnswer, frozen=True):
    """A section: what stands under its heading, deeper headings included."""

    heading: str
    anchor: str
    level: int
    characters: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a text."""

    text: str
    start: int
    end: int
    total: int
    """Characters of the whole text."""
    next_cursor: str | None = None
    outline: tuple[OutlineEntry, ...] = ()
    """Of the whole text, in the first of several parts."""
    is_shortened: bool = False
    """Whether the outline has more than that."""

    @property
    def is_whole(self) -> bool:
        """Whether the part is all there is."""
        return self.end - self.start == self.total


def take_chunk(
    text: str,
    most: int,
    cursor: str | None,
    sections: "Callable[[], Sequence[Section]]",
) -> Chunk:
    """Return the part at a cursor; raise ToolFailure for one that does not fit.

    Blocks while it reads a text of more than `most` characters; `sections` are asked
    for where an outline is needed.
    """
    total = len(text)
    if cursor is None and total <= most:
        return Chunk(text, 0, total, total)
    mark = cursor_fingerprint(text)
    start = 0 if cursor is None else read_cursor(cursor, mark, total)
    outline: tuple[OutlineEntry, ...] = ()
    is_shortened = False
    room = most - _NOTES
    if not start:
        outline, is_shortened = _outline(sections(), most // _OUTLINE_SHARE)
        room -= len(show_outline(outline))
    end = find_split_points(text).find_end(start, room)
    following = write_cursor(end, mark) if end < total else None
    return Chunk(text[start:end], start, end, total, following, outline, is_shortened)


def show_chunk(part: Chunk, advice: str = "") -> str:
    """Return a part as text, with the outline above it and the cursor below.

    `advice` says what else can be asked for, beside the next part.
    """
    if part.is_whole:
        return part.text
    blocks = []
    if not part.start:
        notice = f"This text has {part.total:,} characters and comes in parts."
        blocks.append(f"{notice} {advice}".strip())
        more = "\n- ..." if part.is_shortened else ""
        if part.outline:
            blocks.append(f"Outline:\n\n{show_outline(part.outline)}{more}")
        blocks.append("---")
    blocks.append(part.text.strip("\n"))
    where = f"Characters {part.start + 1:,} to {part.end:,} of {part.total:,}."
    follows = f" Next part: cursor {part.next_cursor}" if part.next_cursor else " End."
    return "\n\n".join([*blocks, "---", where + follows])


def show_outline(outline: Sequence[OutlineEntry]) -> str:
    """Return an outline as a list, nested as its headings are."""
    top = min((entry.level for entry in outline), default=1)
    return "\n".join(
        f"{'  ' * (entry.level - top)}- {entry.heading} "
        f"(#{entry.anchor}, {entry.characters:,} characters)"
        for entry in outline
    )


def _outline(
    sections: "Sequence[Section]", most: int
) -> tuple[tuple[OutlineEntry, ...], bool]:
    """Return as much of the outline as fits, upper levels first; and if it is less."""
    entries = _measure(sections)
    levels = sorted({entry.level for entry in entries})
    for deepest in reversed(levels):
        found = [entry for entry in entries if entry.level <= deepest]
        if len(show_outline(found)) <= most:
            return tuple(found), len(found) < len(entries)
    found = [entry for entry in entries if entry.level in levels[:1]]
    while found and len(show_outline(found)) > most:
        found = found[: len(found) // 2]
    return tuple(found), bool(entries)


def _measure(sections: "Sequence[Section]") -> list[OutlineEntry]:
    """Return the sections with their sizes, deeper ones included."""
    ends = [0]
    for section in sections:
        ends.append(ends[-1] + len(section.markdown))
    entries: list[OutlineEntry] = []
    last: dict[int, int] = {}
    """By level, the end of the latest section that is not below another of it."""
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
