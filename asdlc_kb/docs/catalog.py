"""The visible pages of one snapshot: lookup, groups, categories, completion.

Immutable: a request uses one catalog from start to end. Only visible pages are in it,
so callers cannot show a hidden one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote

from asdlc_kb.docs.links import path_candidates, resolve_links
from asdlc_kb.docs.page import OWN_PAGES, DocPage, Navigation, PageContent
from asdlc_kb.docs.sidebar import SidebarItem, read_sidebar
from asdlc_kb.docs.topbar import Topbar, read_topbar
from asdlc_kb.docs.written_names import PageNames, list_page_names
from asdlc_kb.exceptions import DocAmbiguous, DocNotFound, UnknownCategory
from asdlc_kb.files.snapshot import Snapshot
from asdlc_kb.markup.titles import readable_title

ROOT: Final = "root"
"""The category of pages in no directory and in no group of the sidebar."""


@dataclass(frozen=True, slots=True)
class SidebarGroup:
    """A group of pages in a list."""

    category: str
    """The name accepted by `select`."""
    title: str
    pages: tuple[DocPage, ...]


class DocCatalog:
    """The visible pages of a snapshot."""

    def __init__(self, snapshot: Snapshot[PageContent]) -> None:
        self.snapshot = snapshot
        values = [entry.value for entry in snapshot.entries.values()]
        pages = [value for value in values if isinstance(value, DocPage)]
        bars = {v.path: v.body for v in values if isinstance(v, Navigation)}
        self.by_path: Mapping[str, DocPage] = {
            page.path: page for page in sorted(pages, key=_path_key)
        }
        """The visible pages in path order: a folder's index page comes first in it."""
        self.hidden_count = len(values) - len(pages) - len(bars)
        self._bars = bars
        self.sidebar: tuple[SidebarItem, ...] = read_sidebar(
            bars.get("sidebar.md", ""), self._find_path
        )
        """The items of the sidebar; links to hidden pages are left out."""
        ordered = dict.fromkeys(_paths(self.sidebar)) | dict.fromkeys(self.by_path)
        self.pages: tuple[DocPage, ...] = tuple(self.by_path[path] for path in ordered)
        """The visible pages: in sidebar order, then the others by path."""

    @property
    def generation(self) -> int:
        """The number of the snapshot."""
        return self.snapshot.generation

    def updated(self, snapshot: Snapshot[PageContent]) -> "DocCatalog":
        """Return the catalog of a later snapshot; blocks, call it in a thread."""
        return DocCatalog(snapshot)

    def precompute(self) -> None:
        """Compute the lookup tables; blocks, call it in a thread."""
        _ = self._by_fold, self.groups, self._named, self.paths

    def count(self) -> Mapping[str, int]:
        """Return the number of visible and of hidden pages."""
        return {"pages": len(self.pages), "hidden": self.hidden_count}

    @property
    def statuses(self) -> Mapping[str, int]:
        """Number of visible pages; pages have no status."""
        return {"": len(self.pages)}

    def has_digest(self, path: str, digest: bytes) -> bool:
        """Whether the file of a visible page has this digest."""
        page = self.by_path.get(path)
        return page is not None and page.digest == digest

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of the visible pages, sorted."""
        return tuple(sorted(self.by_path))

    @cached_property
    def topbar(self) -> Topbar:
        """The topbar; links to hidden pages are left out."""
        return read_topbar(self._bars.get("topbar.md", ""), self._find_path)

    def find(self, name: str) -> DocPage:
        """Return the visible page with a name; raise DocNotFound."""
        page = self.get_or_none(name)
        if page is None:
            raise DocNotFound(name)
        return page

    def get_or_none(self, name: str) -> DocPage | None:
        """Return the visible page with a name, or None.

        A name is a path or one through links; leading slash, suffix and `index.md` are
        optional, and case matters only between pages that differ in nothing else.
        """
        links = self.snapshot.links
        for spelling in _name_candidates(name):
            for path in path_candidates(spelling):
                if (page := _look_up(path, self.by_path, links)) is not None:
                    return page
            for path in path_candidates(spelling.casefold()):
                if (
                    page := _look_up(path, self._by_fold, self._folded_links)
                ) is not None:
                    return page
        return None

    def look_up(self, written: str) -> DocPage:
        """Return the visible page that a name stands for as models write names.

        Raises DocNotFound or DocAmbiguous.
        """
        candidates = self.match(written)
        if len(candidates) > 1:
            raise DocAmbiguous(written, tuple(page.path for page in candidates))
        if not candidates:
            raise DocNotFound(written)
        return candidates[0]

    def match(self, written: str) -> tuple[DocPage, ...]:
        """Return the visible pages that a name can stand for; a path wins."""
        for name in list_page_names(written):
            if (page := self.get_or_none(name)) is not None:
                return (page,)
        return self._written.find(written)

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return paths similar to a name that was not found; blocks: use a thread."""
        return self._written.find_near(written)

    @cached_property
    def _written(self) -> PageNames:
        return PageNames(self.by_path.values())

    @cached_property
    def groups(self) -> tuple[SidebarGroup, ...]:
        """All pages, each in its sidebar group or else in its directory."""
        names = {
            path: (item.title, item.title)
            for item in reversed(self.sidebar)
            if item.below
            for path in item.paths()
        }
        groups: dict[str, tuple[str, str, list[DocPage]]] = {}
        for page in self.pages:
            category = page.category or ROOT
            title = readable_title(category, drops_order=True)
            name, title = names.get(page.path, (category, title))
            groups.setdefault(name.casefold(), (name, title, []))[2].append(page)
        return tuple(
            SidebarGroup(name, title, tuple(pages))
            for name, title, pages in groups.values()
        )

    @property
    def group_sizes(self) -> Mapping[str, int]:
        """Number of visible pages for each group; those in no group are not counted."""
        return {
            group.title: len(group.pages)
            for group in self.groups
            if group.category != ROOT
        }

    @property
    def categories(self) -> tuple[str, ...]:
        """Names accepted by `select`: sidebar groups at any depth, directories."""
        return tuple(name for name, _ in self._named.values())

    def select(self, category: str) -> tuple[DocPage, ...]:
        """Return the pages of a category in order; raise UnknownCategory."""
        wanted = " ".join(category.split()).casefold().strip("/")
        named = self._named.get(wanted) or self._named.get(wanted.replace(" ", "-"))
        if named is None:
            raise UnknownCategory(category, self.categories)
        return tuple(self.by_path[path] for path in named[1])

    def complete(self, prefix: str) -> list[str]:
        """Return paths that begin with or contain `prefix`, best first."""
        folded = prefix.casefold()
        paths = [path for path in self.by_path if folded in path.casefold()]
        return sorted(paths, key=lambda path: not path.casefold().startswith(folded))

    def _find_path(self, name: str) -> str | None:
        page = self.get_or_none(name)
        return page.path if page is not None else None

    @cached_property
    def _by_fold(self) -> Mapping[str, DocPage | None]:
        """Pages by case-folded path; None where two pages share it."""
        folded: dict[str, DocPage | None] = {}
        for path, page in self.by_path.items():
            key = path.casefold()
            folded[key] = None if key in folded else page
        return folded

    @cached_property
    def _folded_links(self) -> Mapping[str, str]:
        """The snapshot's links, case-folded."""
        links = self.snapshot.links.items()
        return {path.casefold(): real.casefold() for path, real in links}

    @cached_property
    def _named(self) -> Mapping[str, tuple[str, dict[str, None]]]:
        """Categories by case-folded name: name as written, paths of its pages."""
        named: dict[str, tuple[str, dict[str, None]]] = {}
        for item in (i for top in self.sidebar for i in top.walk() if i.below):
            _add(named, item.title, item.paths())
        for page in self.pages:
            _add(named, page.category or ROOT, (page.path,))
        return {key: (name, paths) for key, (name, paths) in named.items() if paths}


def _add(
    named: dict[str, tuple[str, dict[str, None]]], name: str, paths: Iterable[str]
) -> None:
    named.setdefault(name.casefold(), (name, {}))[1].update(dict.fromkeys(paths))


def _paths(items: Iterable[SidebarItem]) -> Iterator[str]:
    return (path for item in items for path in item.paths())


def _name_candidates(name: str) -> Iterator[str]:
    """Yield a name as given, percent-decoded, and without an anchor."""
    yield name
    if "%" in name:
        yield unquote(name)
    if "#" in name:
        yield name.partition("#")[0]


def _look_up(
    path: str, pages: Mapping[str, DocPage | None], links: Mapping[str, str]
) -> DocPage | None:
    """Return the page at a path, or else the one that links at it lead to."""
    page = pages.get(path)
    return pages.get(resolve_links(path, links)) if page is None and links else page


def _path_key(page: DocPage) -> tuple[list[str], bool, str]:
    """Return a page's sort key: files of a folder before its subfolders."""
    *folders, name = page.path.split("/")
    return folders, name.partition(".")[0].lower() not in OWN_PAGES, name
