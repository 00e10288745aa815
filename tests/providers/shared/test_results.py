"""Tool results: a text, a second one about the rest, and lists in pages that fit."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.model import TextContent
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.cursors import read_cursor
from asdlc_kb.providers.shared.results import (
    ResultPage,
    describe_page,
    fill_page,
    json_row,
    make_json_result,
    make_result,
)


class NoteRow(ToolAnswer, frozen=True):
    """A row."""

    text: str


class Notes(ToolAnswer, frozen=True):
    """A list."""

    notes: tuple[NoteRow, ...]
    total: int
    next_cursor: str | UnsetType = UNSET


def fingerprint(count: int) -> str:
    """Return another fingerprint for each offset."""
    return f"{count:016x}"


def make_page(texts: list[str], budget: int, start: int = 0) -> ResultPage:
    """Return a page of rows, which begin at `start` and are followed by three."""
    total = start + len(texts) + 3
    rows = (json_row(NoteRow(text=text)) for text in texts)
    answer = Notes(notes=(), total=total)
    return fill_page(answer, "notes", rows, budget, start, fingerprint)


def read(page: ResultPage) -> dict[str, Any]:
    """Return the structured content of a page as a client reads it."""
    values: dict[str, Any] = json.loads(jsonrpc.write(page.values))
    return values


@pytest.mark.parametrize(
    "text", ["x" * 100, '"' * 60, "\n\\" * 30, "\N{EURO SIGN}" * 50]
)
@pytest.mark.parametrize("budget", [1_000, 4_000, 10_000])
def test_a_page_has_as_many_rows_as_fit(text: str, budget: int) -> None:
    """The text does not exceed its size, and with another row it would."""
    page = make_page([text] * 200, budget)
    assert 1 < len(page.rows) < 200
    row = len(page.rows[0].text) + 2
    separators = len(page.rows)
    assert budget - row - separators < len(page.json_text) <= budget


def test_the_rows_of_a_page_are_a_json_array() -> None:
    """The text is that of the structured content, row by row."""
    page = make_page(["a", 'b"\n', "\N{LINE SEPARATOR}"], 10_000)
    assert json.loads(page.json_text) == read(page)["notes"]
    assert list(page.values) == ["notes", "total", "nextCursor"]
    assert make_page([], 10_000).json_text == "[]"


def test_the_cursor_leads_to_the_next_row() -> None:
    """With the fingerprint for that offset; none at the end and of an empty page."""
    page = make_page(["x" * 100] * 50, 4_000, start=7)
    assert not isinstance(page.next_cursor, UnsetType)
    assert page.values["nextCursor"] == page.next_cursor
    assert read_cursor(page.next_cursor, fingerprint, 99) == 7 + len(page.rows)
    assert make_page([], 4_000).next_cursor is UNSET


def test_one_row_is_shown_whatever_its_size() -> None:
    """An empty page would be the end of a list."""
    page = make_page(["x" * 100] * 3, 10)
    assert len(page.rows) == 1
    assert page.next_cursor


def test_rows_beyond_a_page_are_not_made() -> None:
    """A page costs what it shows, however many rows a client asks for."""
    made = []

    def rows() -> Iterator[NoteRow]:
        for number in range(1_000):
            made.append(number)
            yield NoteRow(text="x" * 100)

    answer = Notes(notes=(), total=1_000)
    page = fill_page(answer, "notes", map(json_row, rows()), 3_000, 0, "f" * 16)
    assert len(made) == len(page.rows) + 1 < 40


@pytest.mark.parametrize(
    ("start", "count", "note"),
    [
        (0, 3, '3 of 6 notes shown. Next: cursor "{}"'),
        (1_000, 3, 'Notes 1,001 to 1,003 of 1,006. Next: cursor "{}"'),
    ],
)
def test_a_page_says_what_it_leaves_out(start: int, count: int, note: str) -> None:
    """In every version a client learns of the other rows, and how to get them."""
    page = make_page(["x"] * count, 1_000, start)
    assert page.notes == (note.format(page.next_cursor),)


def test_a_page_of_all_rows_says_nothing() -> None:
    """The last one after others says which they are; none says so elsewhere."""
    rows = [json_row(NoteRow(text="x"))] * 2
    answer = Notes(notes=(), total=2)
    assert not fill_page(answer, "notes", rows, 1_000, 0, fingerprint).notes
    last = fill_page(Notes(notes=(), total=9), "notes", rows, 1_000, 7, fingerprint)
    assert last.notes == ("Notes 8 to 9 of 9.",)
    assert not make_page([], 1_000).notes


def test_notes_are_the_second_text() -> None:
    """There is none without them."""
    text, note = TextContent(text="text"), TextContent(text="One. Two.")
    assert make_result({"total": 3}, "text").content == (text,)
    result = make_result({"total": 3}, "text", ["One.", "Two."])
    assert (result.content, result.total) == ((text, note), 3)
    assert make_result({}, "").content == (TextContent(text=""),)


def test_a_text_may_be_one_field_of_the_answer() -> None:
    """Clients that read only text get the rows alone."""
    answer = Notes(notes=(NoteRow(text="a"),), total=1)
    for key, text in (
        (None, '{"notes":[{"text":"a"}],"total":1}'),
        ("notes", '[{"text":"a"}]'),
    ):
        assert make_json_result(answer, key).content == (TextContent(text=text),)


def test_a_total_that_is_a_limit_is_so_many_or_more() -> None:
    """On the first page and on the next ones."""
    first = describe_page(0, 5, 1_000, "articles", "c", is_minimum=True)
    assert first == '5 of 1,000 or more articles shown. Next: cursor "c"'
    next_one = describe_page(5, 5, 1_000, "articles", "c", is_minimum=True)
    assert next_one == 'Articles 6 to 10 of 1,000 or more. Next: cursor "c"'
