"""The visible pages at one moment: lookup, groups, categories, completion.

Immutable: a request uses one catalog from start to end. Only visible pages are in it,
so callers cannot show a hidden one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, Self

from asdlc_kb.docs.catalogs.text_edits import TextEdits, replace_pages
from asdlc_kb.docs.edition import Edition, list_languages
from asdlc_kb.docs.links.link_resolution import PageTarget
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.links.written_names import (
    PageNames,
    list_page_names,
    list_spellings,
)
from asdlc_kb.docs.navigation.sidebar import SidebarItem, list_paths
from asdlc_kb.docs.navigation.topbar import Topbar
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.exceptions import DocAmbiguous, DocNotFound, UnknownCategory
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.search.name_completion import CompletionItem, NameCompletion

INTRODUCTIONS: Final = (
    *("getting-started", "introduction", "intro", "readme", "overview"),
    *("quickstart", "quick-start", "start", "home", "welcome"),
)
"""Names of pages of the root to begin with, case-insensitive, without suffix."""

ROOT: Final = "root"
"""The category of pages in no directory and in no group of the sidebar, and what the
unnamed tree is called in a search: no tree can have this name."""


@dataclass(frozen=True, slots=True)
class SidebarGroup:
    """A group of pages in a list."""

    category: str
    """The name accepted by `select`."""
    title: str
    """Empty for the pages in no directory and in no group of the sidebar."""
    pages: tuple[DocPage, ...]


class DocCatalog(ABC):
    """The visible pages of one tree, or of several."""

    def __init__(
        self, by_path: Mapping[str, DocPage], lookup: PathLookup, hidden_count: int
    ) -> None:
        """Hold the visible pages, in path order."""
        self.by_path = by_path
        """A folder's index page comes first in it."""
        self.hidden_count = hidden_count
        self._lookup = lookup
        self._edits = TextEdits()
        self.sidebar: tuple[SidebarItem, ...] = self._read_sidebar()
        """The items of the sidebar; links to hidden pages are left out."""
        ordered = dict.fromkeys(list_paths(self.sidebar)) | dict.fromkeys(self.by_path)
        in_order = (self.by_path[path] for path in ordered)
        listed = [page for page in in_order if page.placement.is_listed]
        self.pages: tuple[DocPage, ...] = tuple(
            sorted(listed, key=lambda page: not page.edition.is_default)
        )
        """The visible pages: in sidebar order, then the others by path; those of the
        default edition come first. Pages reached by their address only are left out."""

    @property
    @abstractmethod
    def generation(self) -> int:
        """The number of the state of the files; later states have larger ones."""

    @property
    @abstractmethod
    def outline(self) -> tuple[SidebarItem, ...]:
        """The items of the sidebar; without one, the pages nested by their folders."""

    @property
    @abstractmethod
    def topbar(self) -> Topbar:
        """The topbar; links to hidden pages are left out."""

    @abstractmethod
    def resolve(self, href: str, source: str) -> PageTarget | None:
        """Return the visible page that a link in a file leads to, or None."""

    @abstractmethod
    def find_published(self, address: str) -> DocPage | None:
        """Return the visible page at a full address of a published site, or None."""

    @abstractmethod
    def name_page(self, path: str) -> tuple[str, str]:
        """Return the tree of a page, and its name in each edition of that tree."""

    @abstractmethod
    def _read_sidebar(self) -> tuple[SidebarItem, ...]:
        """Return the items of the sidebar; `by_path` and `resolve` can be used."""

    def replace_texts(self, pages: Mapping[str, DocPage]) -> Self:
        """Return the catalog with other texts of some pages, by their path.

        Their titles, names, places and editions are those of the pages before, so
        everything that is computed from these is shared.
        """
        edited = {path: (self.by_path[path], page) for path, page in pages.items()}
        # Before the copy, to be shared: near names of many pages take seconds to index.
        _ = self._written
        changed = copy(self)
        changed.by_path = {**self.by_path, **pages}
        changed.pages = replace_pages(self.pages, edited)
        changed._edits = self._edits.add(pages)
        for name in ("home", "completion"):
            vars(changed).pop(name, None)
        if "groups" in vars(changed):
            changed.groups = tuple(
                SidebarGroup(
                    group.category, group.title, replace_pages(group.pages, edited)
                )
                for group in self.groups
            )
        return changed

    def find_edited(self, earlier: "DocCatalog") -> Set[str] | None:
        """Return the paths of the pages with another text than in an earlier catalog.

        None if other things may differ, too.
        """
        paths = self._edits.compare(earlier._edits)
        if paths is None:
            return None
        known = earlier.by_path
        return {path for path in paths if self.by_path[path] is not known[path]}

    def precompute(self) -> None:
        """Compute the lookup tables; blocks, call it in a thread."""
        self._lookup.precompute()
        _ = self.groups, self._named, self.paths

    def count(self) -> Mapping[str, int]:
        """Return the number of visible and of hidden pages."""
        return {"pages": len(self.by_path), "hidden": self.hidden_count}

    @property
    def statuses(self) -> Mapping[str, int]:
        """Number of visible pages; pages have no status."""
        return {"": len(self.by_path)}

    def has_digest(self, path: str, digest: bytes) -> bool:
        """Whether the file of a visible page has this digest."""
        page = self.by_path.get(path)
        return page is not None and page.digest == digest

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of the listed pages, sorted."""
        return tuple(sorted(page.path for page in self.pages))

    @cached_property
    def home(self) -> DocPage | None:
        """The page to begin with: the root's own, or else an introduction."""
        if (page := self.get_or_none("/")) is not None:
            return page
        in_root = [page for page in self.pages if "/" not in page.path]
        named = {page.path.partition(".")[0].lower(): page for page in in_root}
        return next((named[name] for name in INTRODUCTIONS if name in named), None)

    def find(self, name: str) -> DocPage:
        """Return the visible page with a name; raise DocNotFound."""
        page = self.get_or_none(name)
        if page is None:
            raise DocNotFound(name)
        return page

    def get_or_none(self, name: str) -> DocPage | None:
        """Return the visible page with a name, or None.

        A name is a path or one through links, in one of its spellings, or else what
        stands for one path alone (see `docs.links.path_lookup`).
        """
        if (page := self.find_exact(name)) is not None:
            return page
        lookups = self._default_lookup, self._lookup
        return self._get_first(
            lookup.guess(spelling)
            for lookup in lookups
            for spelling in list_spellings(name)
        )

    def find_exact(self, name: str) -> DocPage | None:
        """Return the visible page with a path, or None.

        Leading slash, suffix and `index.md` are optional, and case matters only between
        pages that differ in nothing else.
        """
        return self._get_first(map(self._lookup.find_exact, list_spellings(name)))

    def _get_first(self, paths: Iterator[str | None]) -> DocPage | None:
        path = next(filter(None, paths), None)
        return self.by_path[path] if path is not None else None

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
        """Return the visible pages that a name can stand for.

        An address of a published site wins, then a path, a title, a part of a path.
        """
        if (page := self.find_published(written.strip())) is not None:
            return (page,)
        for name in list_page_names(written):
            if (page := self.find_exact(name)) is not None:
                return (page,)
        if titled := tuple(map(self.by_path.__getitem__, self._written.find(written))):
            return tuple(p for p in titled if p.edition.is_default) or titled
        guessed = filter(None, map(self.get_or_none, list_page_names(written)))
        return tuple(islice(guessed, 1))

    def find_near(self, written: str) -> tuple[str, ...]:
        """Return paths similar to a name that was not found; blocks: use a thread."""
        return self._written.find_near(written)

    @cached_property
    def _written(self) -> PageNames:
        return PageNames(self.by_path.values())

    @cached_property
    def _default_lookup(self) -> PathLookup:
        """The names of the pages of default editions, which win over the others."""
        pages = self.by_path.items()
        chosen = [path for path, page in pages if page.edition.is_default]
        return self._lookup if len(chosen) == len(pages) else PathLookup(chosen)

    @cached_property
    def editions(self) -> Sequence[Edition]:
        """The editions that have a visible page, default ones first."""
        found = dict.fromkeys(page.edition for page in self.by_path.values())
        return sorted(found, key=lambda edition: not edition.is_default)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The names of the trees; `ROOT` for the unnamed one, if there are others."""
        names = tuple(
            dict.fromkeys(edition.source or ROOT for edition in self.editions)
        )
        return names if names != (ROOT,) else ()

    @cached_property
    def versions(self) -> tuple[str, ...]:
        """The versions, that of the default edition first."""
        return tuple(filter(None, dict.fromkeys(e.version for e in self.editions)))

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages, that of the default edition first; empty if none is known."""
        return list_languages(self.editions)

    def find_secondary(
        self, *, by_version: bool, by_language: bool
    ) -> Callable[[str], bool] | None:
        """Return whether a page is not of the default version, or language, or both.

        The function is the same for each call; None if there is no such page.
        """
        functions = {
            (True, True): self._is_other_edition,
            (True, False): self._is_other_version,
            (False, True): self._is_other_language,
        }
        if all(edition.is_default for edition in self.editions):
            return None
        return functions.get((by_version, by_language))

    def _is_other_edition(self, path: str) -> bool:
        return not self.by_path[path].edition.is_default

    def _is_other_version(self, path: str) -> bool:
        return not self.by_path[path].edition.is_default_version

    def _is_other_language(self, path: str) -> bool:
        return not self.by_path[path].edition.is_default_language

    def read_edition(self, path: str) -> tuple[tuple[str, str], str, bool]:
        """Return a page's name in all editions, its version, and if it is default."""
        edition = self.by_path[path].edition
        return self._fold_name(path), edition.version, edition.is_default

    def _fold_name(self, path: str) -> tuple[str, str]:
        """Return tree and name, without case and suffix: a translation has others."""
        source, name = self.name_page(path)
        return source, name.rpartition(".")[0].casefold()

    def list_editions(self, page: DocPage) -> tuple[DocPage, ...]:
        """Return the same page in the other editions of its tree."""
        if len(self.editions) < 2:
            return ()
        paths = self._by_name.get(self._fold_name(page.path), ())
        same = map(self.by_path.__getitem__, paths)
        return tuple(each for each in same if each.edition != page.edition)

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], list[str]]:
        """Paths by tree and name, those of the default edition first."""
        by_name: dict[tuple[str, str], list[str]] = {}
        by_path = self.by_path
        for path in sorted(by_path, key=lambda p: not by_path[p].edition.is_default):
            by_name.setdefault(self._fold_name(path), []).append(path)
        return by_name

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
            name, title = names.get(page.path) or self._name_folder(page)
            groups.setdefault(name.casefold(), (name, title, []))[2].append(page)
        return tuple(
            SidebarGroup(name, title, tuple(pages))
            for name, title, pages in groups.values()
        )

    def _name_folder(self, page: DocPage) -> tuple[str, str]:
        """Return category and title of the pages in the top folder of a page."""
        return page.category or ROOT, readable_title(page.category, drops_order=True)

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
        """Return the pages of a category in order; raise UnknownCategory.

        A category is a group of the sidebar, a top folder, or any folder by its path.
        """
        wanted = " ".join(category.split()).casefold().strip("/")
        named = self._named.get(wanted) or self._named.get(wanted.replace(" ", "-"))
        if named is not None:
            return tuple(self.by_path[path] for path in named[1])
        folder = f"{wanted}/"
        if pages := [p for p in self.pages if p.path.casefold().startswith(folder)]:
            return tuple(pages)
        raise UnknownCategory(category, self.categories)

    @cached_property
    def completion(self) -> NameCompletion:
        """Completion of paths."""
        listed = (page for page in self.by_path.values() if page.placement.is_listed)
        return NameCompletion(
            CompletionItem(page.path, title=" ".join((page.title, *page.search_terms)))
            for page in listed
        )

    @cached_property
    def _named(self) -> Mapping[str, tuple[str, tuple[str, ...]]]:
        """Categories by case-folded name: name as written, paths of its pages."""
        named: dict[str, tuple[str, dict[str, None]]] = {}
        for item in (i for top in self.sidebar for i in top.walk() if i.below):
            _add(named, item.title, item.paths())
        for page in self.pages:
            _add(named, page.category or ROOT, (page.path,))
        return {key: (name, tuple(p)) for key, (name, p) in named.items() if p}


def _add(
    named: dict[str, tuple[str, dict[str, None]]], name: str, paths: Iterable[str]
) -> None:
    named.setdefault(name.casefold(), (name, {}))[1].update(dict.fromkeys(paths))
