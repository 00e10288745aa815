"""The topbar of a documentation tree: widgets on the left, in the middle, on the right.

`## left`, `## middle` and `## right` begin the parts; entries before them are left.
`{{logo}}` is the logo, `{{search:mode=full,placeholder=Find}}` a search field.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from asdlc_kb.docs.navigation.sidebar import ResolvePage, SidebarItem, resolve_entry
from asdlc_kb.markup.nested_lists import MenuItem, read_menu

PARTS: Final = ("left", "middle", "right")

_MARK = re.compile(r"\{\{\s*(logo|search)\s*(?::([^{}]*))?\}\}[\s|]*")


@dataclass(frozen=True, slots=True)
class Widget:
    """An entry of a topbar: text, link, logo, search field, or logo and link."""

    item: SidebarItem | None = None
    kind: str = ""
    """`logo` or `search`, or empty."""
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Topbar:
    """The three parts of a topbar."""

    left: tuple[Widget, ...] = ()
    middle: tuple[Widget, ...] = ()
    right: tuple[Widget, ...] = ()


def read_topbar(text: str, resolve: ResolvePage) -> Topbar:
    """Return a topbar without entries of hidden or missing pages."""
    parts: dict[str, list[Widget]] = {part: [] for part in PARTS}
    for part, entry in _flatten(read_menu(text), "left"):
        widget = _read(entry, resolve, "topbar.md")
        if widget is not None:
            parts[part].append(widget)
    return Topbar(**{part: tuple(widgets) for part, widgets in parts.items()})


def _flatten(entries: Sequence[MenuItem], part: str) -> Iterator[tuple[str, MenuItem]]:
    """Yield entries with the part to which they belong."""
    for entry in entries:
        named = entry.title.lower()
        if entry.level:
            yield from _flatten(entry.below, named if named in PARTS else part)
        else:
            yield part, entry


def _read(entry: MenuItem, resolve: ResolvePage, source: str) -> Widget | None:
    mark = _MARK.match(entry.rest if entry.href else entry.title)
    item = None
    if entry.href or mark is None:
        item = resolve_entry(entry, resolve, source)
    if mark is None:
        return None if item is None else Widget(item)
    return Widget(item, mark[1], _read_options(mark[2] or ""))


def _read_options(text: str) -> Mapping[str, str]:
    pairs = (part.partition("=") for part in text.split(","))
    return {key.strip(): value.strip() for key, sign, value in pairs if sign}
