"""The pages of one snapshot, and every question about them.

Immutable: one request asks one catalog from start to end. Only visible pages are in it,
so nothing above can show another one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote

from asdlc_kb.docs.links import path_candidates
from asdlc_kb.docs.page import (
    OWN_PAGES,
    DocPage,
    Navigation,
    PageContent,
    readable_title,
)
from asdlc_kb.docs.sidebar import SidebarItem, read_sidebar
from asdlc_kb.docs.topbar import Topbar, read_topbar
from asdlc_kb.exceptions import DocNotFound, UnknownCategory
from asdlc_kb.files.snapshot import Snapshot

ROOT: Final = "root"
"""The category of pages that lie in no directory and in no group of the sidebar."""


@dataclass(frozen=True, slots=True)
class SidebarGroup:
    """Pages that are listed together."""

    category: str
    """As it may be asked for."""
    title: str
    pages: tuple[DocPage, ...]


class DocCatalog:
    """What can be seen of a snapshot."""

    def __init__(self, snapshot: Snapshot[PageContent]) -> None:
        self.snapshot = snapshot
        values = [entry.value for entry in snapshot.entries.values()]
        pages = [value for value in values if isinstance(value, DocPage)]
        bars = {v.path: v.body for v in values if isinstance(v, Navigation)}
        self.by_path: Mapping[str, DocPage] = {
            page.path: page for page in sorted(pages, key=_place)
        }
        """The visible pages, in path order: a folder's own page comes first in it."""
        self.hidden_count = len(values) - len(pages) - len(bars)
        self._bars = bars
        self.sidebar: tuple[SidebarItem, ...] = read_sidebar(
            bars.get("sidebar.md", ""), self._find_path
        )
        """The groups of the sidebar; only pages that can be seen are in it."""
        ordered = dict.fromkeys(_paths(self.sidebar)) | dict.fromkeys(self.by_path)
        self.pages: tuple[DocPage, ...] = tuple(self.by_path[path] for path in ordered)
        """The visible pages: those of the sidebar in its order, then by path."""

    @property
    def generation(self) -> int:
        """The number of the snapshot."""
        return self.snapshot.generation

    def follow(self, snapshot: Snapshot[PageContent]) -> "DocCatalog":
        """Return the catalog of a later snapshot; blocks, belongs into a thread."""
        return DocCatalog(snapshot)

    def warm(self) -> None:
        """Make what the first questions need; blocks, belongs into a thread."""
        _ = self._by_fold, self.groups, self._named, self.paths

    def count(self) -> Mapping[str, int]:
        """Return how many pages there are."""
        return {"pages": len(self.pages), "hidden": self.hidden_count}

    @property
    def statuses(self) -> Mapping[str, int]:
        """How many visible pages there are; they are all of one kind."""
        return {"": len(self.pages)}

    def holds(self, path: str, digest: bytes) -> bool:
        """Whether exactly this content of a page can be seen."""
        page = self.by_path.get(path)
        return page is not None and page.digest == digest

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of the visible pages, sorted as texts."""
        return tuple(sorted(self.by_path))

    @cached_property
    def topbar(self) -> Topbar:
        """The topbar; only pages that can be seen are in it."""
        return read_topbar(self._bars.get("topbar.md", ""), self._find_path)

    def find(self, name: str) -> DocPage:
        """Return the visible page of a name; raise DocNotFound."""
        page = self.pick(name)
        if page is None:
            raise DocNotFound(name)
        return page

    def pick(self, name: str) -> DocPage | None:
        """Return the visible page of a name, if there is one.

        A name is a path; slash in front, suffix and `index.md` may be left out, and
        case matters only where two pages differ in nothing else.
        """
        for spelling in _name_candidates(name):
            for path in path_candidates(spelling):
                if (page := self.by_path.get(path)) is not None:
                    return page
            for path in path_candidates(spelling.casefold()):
                if (page := self._by_fold.get(path)) is not None:
                    return page
        return None

    @cached_property
    def groups(self) -> tuple[SidebarGroup, ...]:
        """Every page once: in its group of the sidebar, or else in its directory."""
        names = {
            path: (item.title, item.title)
            for item in reversed(self.sidebar)
            if item.below
            for path in item.paths()
        }
        found: dict[str, tuple[str, str, list[DocPage]]] = {}
        for page in self.pages:
            category = page.category or ROOT
            name, title = names.get(page.path, (category, make_title(category)))
            found.setdefault(name.casefold(), (name, title, []))[2].append(page)
        return tuple(
            SidebarGroup(name, title, tuple(pages))
            for name, title, pages in found.values()
        )

    @property
    def categories(self) -> tuple[str, ...]:
        """What can be asked for: groups of the sidebar at any depth, directories."""
        return tuple(name for name, _ in self._named.values())

    def select(self, category: str) -> tuple[DocPage, ...]:
        """Return the pages of a category in their order; raise UnknownCategory."""
        wanted = " ".join(category.split()).casefold().strip("/")
        found = self._named.get(wanted) or self._named.get(wanted.replace(" ", "-"))
        if found is None:
            raise UnknownCategory(category, self.categories)
        return tuple(self.by_path[path] for path in found[1])

    def complete(self, prefix: str) -> list[str]:
        """Return paths that begin with or else contain `prefix`, best first."""
        folded = prefix.casefold()
        found = [path for path in self.by_path if folded in path.casefold()]
        return sorted(found, key=lambda path: not path.casefold().startswith(folded))

    def _find_path(self, name: str) -> str | None:
        page = self.pick(name)
        return page.path if page is not None else None

    @cached_property
    def _by_fold(self) -> Mapping[str, DocPage | None]:
        """Pages by their path in one case; None where two share it."""
        folded: dict[str, DocPage | None] = {}
        for path, page in self.by_path.items():
            key = path.casefold()
            folded[key] = None if key in folded else page
        return folded

    @cached_property
    def _named(self) -> Mapping[str, tuple[str, dict[str, None]]]:
        """Categories by their name in one case: as it is written, and its pages."""
        named: dict[str, tuple[str, dict[str, None]]] = {}
        for item in (i for top in self.sidebar for i in top.walk() if i.below):
            _add(named, item.title, item.paths())
        for page in self.pages:
            _add(named, page.category or ROOT, (page.path,))
        return {key: (name, paths) for key, (name, paths) in named.items() if paths}


def make_title(category: str) -> str:
    """Return a directory's name as a heading."""
    return readable_title(f"{category}/index.md")


def _add(
    named: dict[str, tuple[str, dict[str, None]]], name: str, paths: Iterable[str]
) -> None:
    named.setdefault(name.casefold(), (name, {}))[1].update(dict.fromkeys(paths))


def _paths(items: Iterable[SidebarItem]) -> Iterator[str]:
    return (path for item in items for path in item.paths())


def _name_candidates(name: str) -> Iterator[str]:
    """Yield a name as it is given, percent-decoded, and without an anchor."""
    yield name
    if "%" in name:
        yield unquote(name)
    if "#" in name:
        yield name.partition("#")[0]


def _place(page: DocPage) -> tuple[list[str], bool, str]:
    """Return where a page comes in path order: files of a folder before its folders."""
    *folders, name = page.path.split("/")
    return folders, name.partition(".")[0].lower() not in OWN_PAGES, name
