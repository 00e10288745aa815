"""How much of an answer fits: measured as it is sent, text and structure together.

JSON writes a quote or a line break as two characters, and in the text of an answer,
where it stands inside other JSON, as more. So an answer is made, measured, and made
again of less until it fits.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec import to_builtins

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.model import ToolResult
from asdlc_kb.providers.shared.chunks import MAX_CHARS, MIN_CHARS
from asdlc_kb.providers.shared.cursors import write_cursor

T = TypeVar("T")

MAX_DESCRIPTION_CHARS: Final = 2_000
"""Characters of a description beside others, or beside a part of its text."""

MAX_NAMES: Final = 100
"""Tags or related ids there."""

_NAME_CHARS: Final = 4_000
"""Characters of all these tags, or of all these ids."""

_ENVELOPE: Final = 1_000
"""Characters kept free for what the protocol says around an answer."""


_LARGE: Final = 20_000
"""Characters from which a text is cut in a thread: about 3 ms."""


def measure_answer(result: ToolResult) -> int:
    """Return the characters of an answer as it is sent."""
    return len(jsonrpc.write(to_builtins(result)).decode())


def max_answer_chars(asked: int = 1, default: int = 1) -> int:
    """Return the most characters of an answer; more where more is asked for."""
    return MAX_CHARS * max(asked, default) // default - _ENVELOPE


def shrink_to_budget(
    make: Callable[[int], ToolResult], most: int, room: int, *, least: int
) -> ToolResult:
    """Return an answer of at most `most` items or characters that has room.

    With `least` of them it is given as it is.
    """
    while True:
        result = make(most)
        size = measure_answer(result)
        if size <= room or most <= least:
            return result
        most = max(least, min(most - 1, most * room // size))


async def shrink_chunk(
    make: Callable[[int], ToolResult], text: str, most: int, room: int
) -> ToolResult:
    """Return an answer of a part of a text, made in a thread where it is large."""
    if len(text) > _LARGE:
        return await asyncio.to_thread(
            shrink_to_budget, make, most, room, least=MIN_CHARS
        )
    return shrink_to_budget(make, most, room, least=MIN_CHARS)


def shrink_rows(
    rows: Sequence[T],
    make: Callable[[Sequence[T], str | None], ToolResult],
    room: int,
    *,
    start: int,
    total: int,
    mark: Callable[[int], str],
) -> ToolResult:
    """Return an answer of as many rows as it has room for, at least one.

    The rows begin at `start` of `total`; while there are more, `make` gets the cursor
    of the next, which bears what `mark` makes for a number of rows.
    """

    def make_some(count: int) -> ToolResult:
        end = start + count
        is_more = count and end < total
        return make(rows[:count], write_cursor(end, mark(end)) if is_more else None)

    return shrink_to_budget(make_some, len(rows), room, least=1)


def truncate_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first tags or ids, as many as stand beside other things."""
    left = _NAME_CHARS
    for count, name in enumerate(names[:MAX_NAMES]):
        left -= len(name)
        if left < 0:
            return tuple(names[:count])
    return tuple(names[:MAX_NAMES])
