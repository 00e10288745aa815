"""Size budget of tool results, measured as encoded: text and structured content.

JSON encodes a quote or a line break as two characters, and as more in JSON nested in
the text of a result. So a result is built, measured, and rebuilt with less content
until it fits.
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
"""Characters of a description in a list, or next to a chunk of text."""

MAX_NAMES: Final = 100
"""Tags or related ids in the same places."""

_NAME_CHARS: Final = 4_000
"""Total characters of these tags, or of these ids."""

_ENVELOPE: Final = 1_000
"""Characters reserved for the protocol's envelope."""


_THREAD_CHARS: Final = 20_000
"""Characters from which a text is split in a thread: about 3 ms."""


def measure_answer(result: ToolResult) -> int:
    """Return the number of characters of an encoded result."""
    return len(jsonrpc.write(to_builtins(result)).decode())


def max_answer_chars(requested: int = 1, default: int = 1) -> int:
    """Return the maximum characters of a result, in proportion to the request."""
    return MAX_CHARS * max(requested, default) // default - _ENVELOPE


def shrink_to_budget(
    make: Callable[[int], ToolResult], amount: int, budget: int, *, minimum: int
) -> ToolResult:
    """Return a result of at most `amount` items or characters within a budget.

    A result of `minimum` is returned even if it exceeds the budget.
    """
    while True:
        result = make(amount)
        size = measure_answer(result)
        if size <= budget or amount <= minimum:
            return result
        amount = max(minimum, min(amount - 1, amount * budget // size))


async def shrink_chunk(
    make: Callable[[int], ToolResult], text: str, max_chars: int, budget: int
) -> ToolResult:
    """Return a result with a chunk of a text, built in a thread if it is large."""
    if len(text) > _THREAD_CHARS:
        return await asyncio.to_thread(
            shrink_to_budget, make, max_chars, budget, minimum=MIN_CHARS
        )
    return shrink_to_budget(make, max_chars, budget, minimum=MIN_CHARS)


def shrink_rows(
    rows: Sequence[T],
    make: Callable[[Sequence[T], str | None], ToolResult],
    budget: int,
    *,
    start: int,
    total: int,
    fingerprint: Callable[[int], str],
) -> ToolResult:
    """Return a result with as many rows as fit the budget, at least one.

    The rows begin at `start` of `total`. If more follow, `make` receives the cursor
    of the next, with the fingerprint for that number of rows.
    """

    def make_page(count: int) -> ToolResult:
        end = start + count
        is_more = count and end < total
        return make(
            rows[:count], write_cursor(end, fingerprint(end)) if is_more else None
        )

    return shrink_to_budget(make_page, len(rows), budget, minimum=1)


def truncate_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first tags or ids, within the limits of a list."""
    left = _NAME_CHARS
    for count, name in enumerate(names[:MAX_NAMES]):
        left -= len(name)
        if left < 0:
            return tuple(names[:count])
    return tuple(names[:MAX_NAMES])
