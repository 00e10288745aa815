"""Tool results: the same content twice, and lists in pages that fit."""

import json
from collections.abc import Iterator

import pytest
from msgspec import UNSET, UnsetType, to_builtins

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.mcp.protocol.model import ResourceLink, TextContent
from asdlc_kb.mcp.protocol.tool_schema import ToolAnswer
from asdlc_kb.providers.shared.cursors import MAX_CURSOR_CHARS, read_cursor
from asdlc_kb.providers.shared.results import (
    ResultPage,
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


def make_page(texts: list[str], budget: int | None, start: int = 0) -> ResultPage:
    """Return a page of rows, which begin at `start` and are followed by three."""
    total = start + len(texts) + 3
    rows = (json_row(NoteRow(text=text)) for text in texts)
    answer = Notes(notes=(), total=total)
    return fill_page(answer, "notes", rows, budget, start, fingerprint)


@pytest.mark.parametrize(
    "text", ["x" * 100, '"' * 60, "\n\\" * 30, "\N{EURO SIGN}" * 50]
)
@pytest.mark.parametrize("budget", [1_000, 4_000, 10_000])
def test_a_page_has_as_many_rows_as_fit(text: str, budget: int) -> None:
    """It does not exceed its size as sent, and another row would."""
    page = make_page([text] * 200, budget)
    result = make_result(page.values, page.json_text)
    size = len(jsonrpc.write(to_builtins(result)).decode())
    assert 1 < len(page.rows) < 200
    assert budget - 2 * (page.rows[0].size + MAX_CURSOR_CHARS) < size <= budget


def test_the_rows_of_a_page_are_a_json_array() -> None:
    """The text is that of the structured content, row by row."""
    page = make_page(["a", 'b"\n', "\N{LINE SEPARATOR}"], 10_000)
    assert json.loads(page.json_text) == page.values["notes"]
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


def test_without_a_budget_a_page_has_all_rows_and_no_cursor() -> None:
    """The client asked for whole contents."""
    page = make_page(["x" * 1_000] * 100, None)
    assert len(page.rows) == 100
    assert page.next_cursor is UNSET


def test_rows_beyond_a_page_are_not_made() -> None:
    """A page costs what it shows, however many rows a client asks for."""
    made = []

    def rows() -> Iterator[NoteRow]:
        for number in range(1_000):
            made.append(number)
            yield NoteRow(text="x" * 100)

    answer = Notes(notes=(), total=1_000)
    page = fill_page(answer, "notes", map(json_row, rows()), 3_000, 0, "f" * 16)
    assert len(made) == len(page.rows) + 1 < 20


def test_links_come_after_the_text() -> None:
    """Their size counts, too."""
    link = ResourceLink(uri="note://a", name="a")
    assert (
        json_row(NoteRow(text="a"), link).size > json_row(NoteRow(text="a")).size + 30
    )
    result = make_result({}, "text", [link])
    assert result.content == (TextContent(text="text"), link)


def test_a_text_may_be_one_field_of_the_answer() -> None:
    """Clients that read only text get the rows alone."""
    answer = Notes(notes=(NoteRow(text="a"),), total=1)
    for key, text in (
        (None, '{"notes":[{"text":"a"}],"total":1}'),
        ("notes", '[{"text":"a"}]'),
    ):
        assert make_json_result(answer, key).content == (TextContent(text=text),)
