"""Builder of a navigation from the entries of a configuration."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from asdlc_kb.docs.generators.data import is_computed
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.markup.nested_lists import MenuItem

MAX_ENTRIES: Final = 10_000
"""Entries of a navigation; the rest is left out."""

MAX_LEVELS: Final = 16
"""Levels of a navigation; deeper entries are left out."""


class Entry(NamedTuple):
    """An entry of a navigation as a generator means it."""

    title: str = ""
    href: str = ""
    below: "Sequence[Data]" = ()


class Menu(NamedTuple):
    """A navigation, and the number of entries that were left out."""

    items: tuple[MenuItem, ...]
    left_out: int


def build_menu(
    items: Iterable[Data], read_entry: Callable[[Data], Entry | None]
) -> Menu:
    """Return the navigation of the items; `read_entry` returns None for no entry."""
    builder = _MenuBuilder(read_entry)
    return Menu(builder.build(items, 1), builder.left_out)


def place_menu(items: Sequence[MenuItem], folder: str) -> tuple[MenuItem, ...]:
    """Return a navigation with its addresses below a folder."""
    return tuple(
        replace(
            item,
            href=f"{folder}/{item.href.lstrip('/')}"
            if item.href and "://" not in item.href
            else item.href,
            below=place_menu(item.below, folder),
        )
        for item in items
    )


class _MenuBuilder:
    def __init__(self, read_entry: Callable[[Data], Entry | None]) -> None:
        self._read_entry = read_entry
        self._count = 0
        self.left_out = 0

    def build(self, items: Iterable[Data], level: int) -> tuple[MenuItem, ...]:
        built: list[MenuItem] = []
        for item in items:
            if self._count >= MAX_ENTRIES or level > MAX_LEVELS:
                self.left_out += 1
                break
            self._count += 1
            if is_computed(item):
                self.left_out += 1
                continue
            entry = self._read_entry(item)
            if entry is None:
                continue
            below = self.build(entry.below, level + 1)
            if entry.title or entry.href:
                built.append(MenuItem(entry.title, entry.href, below))
            else:
                built.extend(below)
        return tuple(built)
