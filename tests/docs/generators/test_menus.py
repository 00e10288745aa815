"""Navigations are bounded, whatever a configuration repeats."""

from support.generators import outline

from asdlc_kb.docs.generators.data import to_fields, to_items, to_text
from asdlc_kb.docs.generators.javascript import COMPUTED, Data
from asdlc_kb.docs.generators.menus import (
    MAX_ENTRIES,
    MAX_LEVELS,
    Entry,
    build_menu,
)


def read(item: Data) -> Entry | None:
    """Return the entry of `{t: title, h: href, b: [entries]}`."""
    fields = to_fields(item)
    title, href = to_text(fields.get("t")), to_text(fields.get("h"))
    return Entry(title, href, to_items(fields.get("b"))) if fields else None


def test_an_entry_without_title_and_address_gives_its_place_to_those_below() -> None:
    """So no line of a menu is empty."""
    items: list[Data] = [{"b": [{"t": "A", "h": "a.md"}]}, {"t": "B", "b": []}]
    assert outline(build_menu(items, read).items) == ["A a.md", "B"]


def test_computed_entries_are_counted() -> None:
    """They become a note."""
    menu = build_menu([COMPUTED, {"t": "A", "b": [COMPUTED]}], read)
    assert (outline(menu.items), menu.left_out) == (["A"], 2)


def test_entries_that_repeat_one_another_are_bounded() -> None:
    """Constants that name each other could be two to the power of thirty entries."""
    item: dict[str, Data] = {"t": "leaf"}
    for _ in range(30):
        item = {"t": "x", "b": [item, item]}
    menu = build_menu([item], read)
    lines = outline(menu.items)
    assert len(lines) <= MAX_ENTRIES
    assert max(line.count("  ") for line in lines) < MAX_LEVELS
    assert menu.left_out
