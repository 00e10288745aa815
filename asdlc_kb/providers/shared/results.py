"""Tool results: structured content and its text, and pages of lists that fit a size."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from asdlc_kb.mcp.protocol.model import ResourceLink, TextContent, ToolResult
from asdlc_kb.providers.shared.cursors import (
    MAX_CURSOR_CHARS,
    Fingerprint,
    write_cursor,
)
from asdlc_kb.providers.shared.size_budget import json_chars, write_json

_SEPARATOR_CHARS: Final = 2
"""Characters between two rows, beyond the quotes that each row is measured with."""


class Row(NamedTuple):
    """An item of a list, as structured content and as text."""

    values: dict[str, Any]
    text: str
    link: ResourceLink | None = None

    @property
    def size(self) -> int:
        """The characters that the row adds to a result."""
        link = 0 if self.link is None else json_chars(self.link)
        return json_chars(self.values) + json_chars(self.text) + link + _SEPARATOR_CHARS


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of a list."""

    values: dict[str, Any]
    """The structured content, rows included."""
    rows: Sequence[Row]
    next_cursor: str | UnsetType

    @property
    def json_text(self) -> str:
        """The rows as a JSON array, if the text of each is JSON."""
        return f"[{','.join(row.text for row in self.rows)}]"


def to_values(answer: Struct) -> dict[str, Any]:
    """Convert an answer to JSON values."""
    values: dict[str, Any] = to_builtins(answer)
    return values


def make_result(
    values: dict[str, Any], text: str, links: Iterable[ResourceLink] = ()
) -> ToolResult:
    """Return a result with structured content, text and links."""
    return ToolResult(
        content=(TextContent(text=text), *links), structured_content=values
    )


def make_json_result(answer: Struct, key: str | None = None) -> ToolResult:
    """Return a result; its text is the JSON of the answer, or of one key."""
    values = to_values(answer)
    return make_result(values, write_json(values if key is None else values[key]))


def json_row(answer: Struct, link: ResourceLink | None = None) -> Row:
    """Return a row whose text is JSON."""
    values = to_values(answer)
    return Row(values, write_json(values), link)


def fill_page(
    answer: Struct,
    key: str,
    rows: Iterable[Row],
    budget: int | None,
    start: int,
    fingerprint: Fingerprint,
) -> ResultPage:
    """Return a page with as many rows as fit a budget of characters, at least one.

    The rows begin at `start` of the answer's total; `answer` has none yet under `key`,
    and gets the cursor of the next page if more follow. Without a budget all rows are
    in the page, and no cursor.
    """
    if budget is not None:
        rows = _fitting_rows(rows, budget - json_chars(answer))
    shown = tuple(rows)
    end = start + len(shown)
    following: str | UnsetType = UNSET
    if budget is not None and shown and end < to_values(answer)["total"]:
        following = write_cursor(end, fingerprint)
    values = to_values(replace(answer, next_cursor=following))
    values[key] = [row.values for row in shown]
    return ResultPage(values, shown, following)


def _fitting_rows(rows: Iterable[Row], budget: int) -> Iterator[Row]:
    """Yield the first row, and further ones while their sizes add up to the budget."""
    left = budget - MAX_CURSOR_CHARS
    for number, row in enumerate(rows):
        left -= row.size
        if number and left < 0:
            return
        yield row
