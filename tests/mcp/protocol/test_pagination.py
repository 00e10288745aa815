"""Pages of lists, and cursors that outlive changes."""

import base64
from functools import partial
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.mcp.protocol import pagination
from asdlc_kb.mcp.protocol.errors import InvalidParams
from asdlc_kb.mcp.protocol.pagination import PAGE_SIZE, Listed, number_items

TAG = "fcc5c49e"
"""The tag of the list `notes` in cursors."""
paginate = partial(pagination.paginate, "notes")

names = st.sets(st.text("abcdef", min_size=1, max_size=3), max_size=30)


def listed(items: Any) -> list[Listed[str]]:
    """Return items as a list in the order of their names."""
    return [Listed(name, name) for name in sorted(items)]


def walk(lists: list[list[Listed[str]]], size: int) -> list[list[str]]:
    """Return every page of some lists."""
    pages, cursor = [], None
    while True:
        page = paginate(lists, cursor, size)
        pages.append(list(page.items))
        if page.next_cursor is None:
            return pages
        cursor = page.next_cursor


@given(st.lists(names, max_size=4), st.integers(1, 7))
def test_the_pages_of_lists_are_the_lists_one_behind_the_other(
    given_lists: list[set[str]], size: int
) -> None:
    """The specification, pagination: nothing missing, nothing twice, no empty page
    at the end, no cursor when all was sent.
    """
    lists = [listed(given_names) for given_names in given_lists]
    pages = walk(lists, size)
    flat = [entry.item for entries in lists for entry in entries]
    assert [item for page in pages for item in page] == flat
    assert all(len(page) == size for page in pages[:-1])
    assert len(pages[-1]) > 0 or not flat


@given(names, names, names, st.integers(1, 5))
def test_a_cursor_survives_what_comes_and_goes_between_pages(
    staying: set[str], leaving: set[str], coming: set[str], size: int
) -> None:
    """D-037: a cursor is the last key, not an index: items that stay are seen exactly
    once, whatever else changes.
    """
    before = listed(staying | leaving)
    after = listed(staying | coming)
    first = paginate([before], None, size)
    seen = list(first.items)
    cursor = first.next_cursor
    while cursor is not None:
        page = paginate([after], cursor, size)
        seen += page.items
        cursor = page.next_cursor
    assert len(seen) == len(set(seen))
    if first.next_cursor is not None:
        assert staying <= set(seen)


def test_a_cursor_survives_the_removal_of_the_item_it_points_at() -> None:
    """D-037: the place stays valid when its item is gone."""
    cursor = paginate([listed("abcd")], None, 2).next_cursor
    assert paginate([listed("acd")], cursor, 2).items == ("c", "d")
    assert paginate([[]], cursor, 2).items == ()


def test_the_page_holds_100_items() -> None:
    """Pages of 100; 100 items are one page, 101 are two."""
    assert PAGE_SIZE == 100
    items = number_items([str(n) for n in range(101)])
    assert paginate([items[:100]], None).next_cursor is None
    page = paginate([items], None)
    assert len(page.items) == 100
    assert paginate([items], page.next_cursor).items == ("100",)


def test_a_cursor_crosses_from_one_list_to_the_next() -> None:
    """D-037: the cursor of merged lists is (list, last key)."""
    lists = [listed("ab"), [], listed("ab")]
    assert walk(lists, 2) == [["a", "b"], ["a", "b"]]
    assert walk(lists, 3) == [["a", "b", "a"], ["b"]]


def test_a_cursor_is_opaque_ascii_and_never_empty() -> None:
    """The specification, pagination: no empty cursor, safe in any text."""
    key = "2026/ä/\U0001f600/" * 5
    entries = [Listed(key + str(n), n) for n in range(3)]
    cursor = paginate([entries], None, 1).next_cursor
    assert cursor
    assert cursor.isascii()
    assert paginate([entries], cursor, 1).items == (1,)


def cursor_of(value: Any) -> str:
    """Return a value in the encoding of cursors."""
    return base64.urlsafe_b64encode(orjson.dumps(value)).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "garbage",
        "é",
        "\x00",
        "AAAA",
        "W10",
        "1",
        0,
        1,
        True,
        [],
        {},
        1.5,
        cursor_of([]),
        cursor_of([0, "a"]),
        cursor_of([TAG, 0]),
        cursor_of([TAG, "a", 0]),
        cursor_of([TAG, 0, "a", "b"]),
        cursor_of([TAG, 1, "a"]),
        cursor_of([TAG, -1, "a"]),
        cursor_of([TAG, 0, None]),
        cursor_of([TAG, 0.0, "a"]),
        cursor_of([TAG, False, "a"]),
        cursor_of([0, 0, "a"]),
        cursor_of({"0": "a"}),
        pagination.paginate("tools", [listed("abcd")], None, 2).next_cursor,
        cursor_of("a"),
        cursor_of(None),
        pytest.param(cursor_of([TAG, 0, "a" * 3000]), id="too long"),
        pytest.param("A" * 100_000, id="much too long"),
    ],
)
def test_a_cursor_that_we_did_not_make_is_invalid(cursor: object) -> None:
    """The specification, pagination: an invalid cursor is -32602."""
    with pytest.raises(InvalidParams) as caught:
        paginate([listed("abc")], cursor)
    assert caught.value.CODE == -32602
    assert caught.value.message == "Invalid params"
    assert caught.value.data["reason"] == "not a cursor of this list"
    assert caught.value.data.get("cursor") == (
        cursor[:200] if isinstance(cursor, str) else None
    )


def test_the_form_of_a_cursor_is_the_same_in_every_process() -> None:
    """Another process, or the server after its restart, continues the list."""
    cursor = paginate([listed("abcd")], None, 2).next_cursor
    assert cursor == cursor_of([TAG, 0, "b"])


@given(st.text() | st.binary().map(lambda raw: base64.b64encode(raw).decode()))
def test_any_text_is_a_cursor_or_invalid(cursor: str) -> None:
    """D-037: no cursor raises anything but InvalidParams."""
    try:
        page = paginate([listed("abc")], cursor)
    except InvalidParams:
        return
    assert set(page.items) <= {"a", "b", "c"}


def test_numbered_places_sort_as_the_list_does() -> None:
    """A list that never changes has its positions as places."""
    entries = number_items("x" * 1200)
    places = [entry.place for entry in entries]
    assert places == sorted(places)
    assert len(set(places)) == 1200
