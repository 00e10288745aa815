"""The visible pages of one snapshot of a documentation tree."""

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import compress
from operator import is_not
from pathlib import Path
from typing import Final

from asdlc_kb.attachments.references import INDEX_STEMS
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.edition import EditionReader
from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.links.label_lookup import LabelLookup
from asdlc_kb.docs.links.link_resolution import (
    PageTarget,
    list_published,
    read_rules,
    resolve_link,
)
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.navigation.navigation_reader import NavigationReader
from asdlc_kb.docs.navigation.page_order import PageTree
from asdlc_kb.docs.navigation.sidebar import (
    SidebarItem,
    read_sidebar,
    read_summary,
    resolve_entry,
)
from asdlc_kb.docs.navigation.topbar import Topbar, read_topbar
from asdlc_kb.docs.pages.page import DocPage, Navigation, PageContent
from asdlc_kb.docs.pages.publication import select_published
from asdlc_kb.files.snapshot import Snapshot

UNCONFIGURED: Final = TreeConfiguration(root=Path())
"""That of a tree without a generator."""


class TreeCatalog(DocCatalog):
    """The visible pages of one tree, each with its path below the root."""

    def __init__(
        self,
        snapshot: Snapshot[PageContent],
        configure: Callable[[], TreeConfiguration] = lambda: UNCONFIGURED,
        clock: Callable[[], float] = time.time,
        lookup: PathLookup | None = None,
    ) -> None:
        """Hold the pages that are visible at the moment of the call.

        `lookup` is that of a former catalog, for its tables.
        """
        self.snapshot = snapshot
        self._configure = configure
        self.configuration = configure()
        self.link_rules = read_rules(self.configuration)
        self._clock = clock
        values = [entry.value for entry in snapshot.entries.values()]
        published = select_published(values, clock())
        pages = published.pages
        self._changed_at = published.changed_at
        self.changes_at = published.changes_at
        """Seconds since the epoch: when a page appears or disappears by its dates."""
        self._structure = object()
        """The same for catalogs of pages that differ in their texts only."""
        self._bars = {v.path: v.body for v in values if isinstance(v, Navigation)}
        self._editions = EditionReader(self.configuration.editions)
        aliases = {page.path: page.aliases for page in pages if page.aliases}
        by_path = {page.path: page for page in sorted(pages, key=_path_key)}
        super().__init__(
            by_path,
            (lookup or PathLookup()).updated(by_path, snapshot.links, aliases),
            len(values) - len(pages) - len(self._bars),
        )

    @property
    def generation(self) -> int:
        """The number of the snapshot."""
        return self.snapshot.generation

    @property
    def is_outdated(self) -> bool:
        """Whether a page has appeared or disappeared by its dates since.

        It does as well if the clock is set back.
        """
        return not self._changed_at <= self._clock() < self.changes_at

    def updated(self, snapshot: Snapshot[PageContent]) -> "TreeCatalog":
        """Return the catalog of a later snapshot; blocks, call it in a thread.

        If only the texts of pages changed, everything else is shared.
        """
        edited = self._find_edited(snapshot)
        if edited is None:
            return TreeCatalog(snapshot, self._configure, self._clock, self._lookup)
        changed = self.replace_texts(edited)
        changed.snapshot = snapshot
        # It has the pages as they were before.
        vars(changed).pop("tree", None)
        return changed

    def shares_structure(self, other: "TreeCatalog") -> bool:
        """Whether both have the same pages, except for their texts."""
        return self._structure is other._structure

    def _find_edited(
        self, snapshot: Snapshot[PageContent]
    ) -> Mapping[str, DocPage] | None:
        """Return the pages with another text; None if anything else changed."""
        is_same = (
            self._configure() is self.configuration
            and not self.is_outdated
            and len(self.snapshot.entries) == len(snapshot.entries)
            and self.snapshot.links == snapshot.links
        )
        if not is_same:
            return None
        entries, known = snapshot.entries, self.snapshot.entries
        changed = compress(
            zip(entries, known, strict=True),
            map(is_not, entries.values(), known.values()),
        )
        edited: dict[str, DocPage] = {}
        for path, path_before in changed:
            if path != path_before:
                return None
            value = entries[path].value
            if value == known[path].value:
                continue
            if not isinstance(value, DocPage) or not self._is_edit(value):
                return None
            edited[path] = value
        return edited

    def _is_edit(self, page: DocPage) -> bool:
        """Whether a page has another text than before, and is the same otherwise."""
        before = self.by_path.get(page.path)
        entry = self.snapshot.entries[page.path]
        if before is None or before is not entry.value:
            return False
        return _structure_of(before) == _structure_of(page)

    @cached_property
    def outline(self) -> tuple[SidebarItem, ...]:
        """The items of the sidebar; without one, the pages nested by their folders."""
        return self.sidebar or self.tree.items

    @cached_property
    def topbar(self) -> Topbar:
        """The topbar; links to hidden pages are left out."""
        return read_topbar(self._bars.get("topbar.md", ""), self.resolve)

    def resolve(self, href: str, source: str) -> PageTarget | None:
        """Return the visible page that a link in a file leads to, or None."""
        page = self.by_path.get(source)
        target = self._labels.find(href, page) if page is not None else None
        target = target or resolve_link(href, source, self._lookup, self.link_rules)
        return target if target is not None and target.path in self.by_path else None

    @cached_property
    def _labels(self) -> LabelLookup:
        return LabelLookup(self.by_path.values(), self._lookup, self.link_rules)

    def find_published(self, address: str) -> DocPage | None:
        """Return the visible page at a full address of the published site, or None."""
        names = list_published(address, self.link_rules)
        return next(filter(None, map(self.find_exact, names)), None)

    def name_page(self, path: str) -> tuple[str, str]:
        """Return "", and a page's path without what states its edition."""
        return "", self._editions.name_page(path)

    @cached_property
    def tree(self) -> PageTree:
        """The listed pages by folder, in the order that they state."""
        listed = [page for page in self.by_path.values() if page.placement.is_listed]
        return PageTree(listed, self.configuration)

    def _read_sidebar(self) -> tuple[SidebarItem, ...]:
        """Return the items of the first that has any.

        `sidebar.md`, the generator's own file, its configuration, and the order of the
        pages, if there is a generator or a stated position.
        """
        if items := read_sidebar(self._bars.get("sidebar.md", ""), self.resolve):
            return items
        summary = self.configuration.sidebar_file
        text = self._bars.get(summary, "")
        if items := read_summary(text, self.resolve, summary):
            return items
        reader = NavigationReader(
            {p.path: p for p in self.by_path.values() if p.placement.is_listed},
            self.tree,
            lambda entry: resolve_entry(entry, self.resolve, ""),
        )
        if items := reader.read(self.configuration.navigation):
            return items
        is_ordered = self.configuration.generator or self.tree.has_order
        return self.tree.items if is_ordered else ()


def _structure_of(page: DocPage) -> tuple[object, ...]:
    """Return the fields that the other pages, menus and names depend on."""
    return page.title, page.aliases, page.placement, page.edition, page.labels


def _path_key(page: DocPage) -> tuple[list[str], bool, str]:
    """Return a page's sort key: files of a folder before its subfolders."""
    *folders, name = page.path.split("/")
    return folders, name.partition(".")[0].lower() not in INDEX_STEMS, name
