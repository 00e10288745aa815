"""What the frontmatter of a page states about its place, menus and publication.

The names of the fields depend on the generator; a dialect without fields of its own
accepts those of all.
"""

import re
from collections.abc import Mapping as FieldNames
from math import inf
from typing import Final

import msgspec
from msgspec.structs import force_setattr

from asdlc_kb.docs.pages.cascades import Cascade, read_cascades
from asdlc_kb.docs.pages.stated_fields import (
    Build,
    StatedFields,
    read_build,
    read_date,
    read_window,
)
from asdlc_kb.frontmatter.nodes import Mapping

MAX_MENU_TITLE_CHARS: Final = 300
"""Characters; a longer title of a menu is cut."""

_POSITIONS: Final[FieldNames[str, tuple[str, ...]]] = {
    "docusaurus": ("sidebar_position",),
    "starlight": ("sidebar.order",),
    "hugo": ("weight",),
    "jekyll": ("nav_order",),
}
_TITLES: Final[FieldNames[str, tuple[str, ...]]] = {
    "docusaurus": ("sidebar_label",),
    "starlight": ("sidebar.label",),
    "hugo": ("linktitle",),
    "jekyll": ("nav_title",),
    "mintlify": ("sidebartitle",),
}
_ALL_POSITIONS: Final = (*(n for names in _POSITIONS.values() for n in names), "order")
_ALL_TITLES: Final = tuple(name for names in _TITLES.values() for name in names)

UNREADABLE = re.compile(
    r"(?im)^[ \t{]*[\"']?(?:publish_?date|expiry_?date|unpublishdate|headless|unlisted"
    r"|_?build|render)[\"']?[ \t]*[:=]"
)
"""Lines of invalid frontmatter that may hide their page."""


_ALWAYS: Final = -inf
_NO_DATE: Final = 0.0


class Placement(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """Place and publication of a page; the default is that nothing is stated."""

    menu_title: str = ""
    """The title in menus; empty for that of the page."""
    position: float | None = None
    """Among the pages and folders of its folder."""
    parent: str = ""
    """The title of the page above it, as in Just the Docs."""
    grandparent: str = ""
    date: float = _NO_DATE
    """Seconds since the epoch; some generators order by it."""
    visible_from: float = _ALWAYS
    """Seconds since the epoch."""
    visible_until: float = inf
    """Seconds since the epoch, exclusive."""
    is_in_menus: bool = True
    is_listed: bool = True
    """False for a page that is reached by its address only."""
    is_searched: bool = True
    is_hidden: bool = False
    has_build: bool = False
    """Whether it states itself what is built of it, whatever is stated above it."""
    cascades: tuple[Cascade, ...] = ()
    """For the pages below, if it is that of a folder."""
    site_cascades: tuple[Cascade, ...] = ()
    """Those of the whole tree, which count after those of folders."""

    def __post_init__(self) -> None:
        """Share the dates that most pages have."""
        if self.visible_from == -inf:
            force_setattr(self, "visible_from", _ALWAYS)
        if self.visible_until == inf:
            force_setattr(self, "visible_until", inf)
        if not self.date:
            force_setattr(self, "date", _NO_DATE)


UNPLACED: Final = Placement()


def read_placement(
    path: str, fields: Mapping, dialect: str, base: str = ""
) -> Placement:
    """Return what the frontmatter of a file states.

    `base` is the path of the tree in that of its generator, empty or with a slash.
    """
    stated = StatedFields(fields)
    if not stated.values and "_posts/" not in path:
        return UNPLACED
    begins, ends = read_window(path, stated, dialect)
    stated_build = read_build(stated)
    build = stated_build or Build()
    is_unlisted = stated.is_true("unlisted") or (
        dialect == "mintlify" and stated.is_true("hidden")
    )
    is_listed = build.is_listed and not is_unlisted
    titles = _TITLES.get(dialect, _ALL_TITLES)
    return Placement(
        menu_title=stated.find_text(titles)[:MAX_MENU_TITLE_CHARS],
        position=_read_position(stated, dialect),
        parent=stated.find_text(("parent",)),
        grandparent=stated.find_text(("grand_parent",)),
        date=read_date(stated.find_text(("date",))) or 0.0,
        visible_from=begins,
        visible_until=ends,
        is_in_menus=not (
            stated.is_true("sidebar.hidden") or stated.is_true("nav_exclude")
        ),
        is_listed=is_listed,
        is_searched=is_listed
        and not any(map(stated.is_false, ("pagefind", "search")))
        and not any(map(stated.is_true, ("search.exclude", "search_exclude")))
        and not (dialect == "mintlify" and stated.is_true("noindex")),
        is_hidden=build.is_hidden or stated.is_true("headless"),
        has_build=stated_build is not None,
        cascades=read_cascades(stated.find("cascade"), dialect, base),
    )


def _read_position(stated: StatedFields, dialect: str) -> float | None:
    text = stated.find_text(_POSITIONS.get(dialect, _ALL_POSITIONS))
    try:
        number = float(text)
    except ValueError:
        return None
    if dialect == "hugo" and not number:
        # Hugo's zero is that of an absent weight.
        return None
    return number if abs(number) < inf else None
