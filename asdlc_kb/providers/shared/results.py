"""Tool results: one text, a second one about what was left out, structured content.

A model reads the texts. The second one exists only if something was left out, paged,
corrected or not found: it says so, and how to get the rest.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from msgspec import UNSET, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from asdlc_kb.mcp.protocol.jsonrpc import JsonText
from asdlc_kb.mcp.protocol.model import TextContent, ToolResult
from asdlc_kb.providers.shared.cursors import Fingerprint, write_cursor
from asdlc_kb.providers.shared.size_budget import write_json

_SEPARATOR_CHARS: Final = 2
"""Characters between two rows of a text."""


class Row(NamedTuple):
    """An item of a list, as structured content and as text."""

    values: Any
    """JSON values, or the JSON of them."""
    text: str


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page of a list."""

    values: dict[str, Any]
    """The structured content, rows included."""
    rows: Sequence[Row]
    start: int
    """The number of rows before this page."""
    next_cursor: str | UnsetType
    noun: str
    """What the rows are, in the plural."""
    is_minimum: bool = False
    """Whether there may be more than the total, which is a limit."""

    @property
    def json_text(self) -> str:
        """The rows as a JSON array, if the text of each is JSON."""
        return f"[{','.join(row.text for row in self.rows)}]"

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence on the rows of other pages, if there are any."""
        count, total = len(self.rows), self.values["total"]
        if count == total or not count:
            return ()
        return (
            describe_page(
                self.start,
                count,
                total,
                self.noun,
                self.next_cursor,
                is_minimum=self.is_minimum,
            ),
        )


def describe_page(
    start: int,
    count: int,
    total: int,
    noun: str,
    next_cursor: str | UnsetType,
    *,
    is_minimum: bool = False,
) -> str:
    """Return a sentence on which items of a list are shown, and on the next ones."""
    whole = f"{total:,} or more" if is_minimum else f"{total:,}"
    shown = f"{count:,} of {whole} {noun} shown."
    if start:
        first = f"{noun[:1].upper()}{noun[1:]} {start + 1:,}"
        shown = f"{first} to {start + count:,} of {whole}."
    return f'{shown} Next: cursor "{next_cursor}"' if next_cursor else shown


def to_values(answer: Struct) -> dict[str, Any]:
    """Convert an answer to JSON values."""
    values: dict[str, Any] = to_builtins(answer)
    return values


def make_result(
    values: dict[str, Any], text: str, notes: Iterable[str] = ()
) -> ToolResult:
    """Return a result with a text; `notes`, if any, are the second text."""
    content = [TextContent(text=text)]
    if note := " ".join(notes):
        content.append(TextContent(text=note))
    return ToolResult(
        content=tuple(content), structured_content=values, total=values.get("total")
    )


def make_json_result(
    answer: Struct, key: str | None = None, notes: Iterable[str] = ()
) -> ToolResult:
    """Return a result; its text is the JSON of the answer, or of one key."""
    values = to_values(answer)
    return make_result(
        values, write_json(values if key is None else values[key]), notes
    )


def json_row(answer: Struct) -> Row:
    """Return a row whose text is JSON."""
    values = to_values(answer)
    return Row(values, write_json(values))


def written_row(answer: Struct, text: str | None = None) -> Row:
    """Return a row to be kept: its values are JSON, and so is its text by default."""
    written = write_json(answer)
    return Row(JsonText(written), written if text is None else text)


def fill_page(
    answer: Struct,
    key: str,
    rows: Iterable[Row],
    budget: int,
    start: int,
    fingerprint: Fingerprint,
    *,
    is_minimum: bool = False,
) -> ResultPage:
    """Return a page with as many rows as fit a budget of characters, at least one.

    The rows begin at `start` of the answer's total; `answer` has none yet under `key`,
    and gets the cursor of the next page if more follow.
    """
    shown = tuple(_fitting_rows(rows, budget))
    end = start + len(shown)
    following: str | UnsetType = UNSET
    values = to_values(answer)
    if shown and end < values["total"]:
        following = write_cursor(end, fingerprint)
        values = to_values(replace(answer, next_cursor=following))
    values[key] = [row.values for row in shown]
    return ResultPage(values, shown, start, following, key, is_minimum)


def _fitting_rows(rows: Iterable[Row], budget: int) -> Iterator[Row]:
    """Yield the first row, and further ones while their texts add up to the budget."""
    left = budget
    for number, row in enumerate(rows):
        left -= len(row.text) + _SEPARATOR_CHARS
        if number and left < 0:
            return
        yield row
