"""The visible pages of several documentation trees at one moment."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.links.link_paths import follow_link, read_path
from asdlc_kb.docs.links.link_resolution import (
    MAX_LINK_CHARS,
    PageTarget,
    resolve_file,
)
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.links.written_names import URI_PREFIX
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.docs.navigation.topbar import Topbar, Widget
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.markup.titles import readable_title


@dataclass(frozen=True, slots=True)
class Mount:
    """Where the pages of a tree are in a collection."""

    prefix: str = ""
    """Before each path, with a slash at its end; empty for the unnamed tree."""
    source: str = ""
    """The name of the tree."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A tree's catalog, with its pages as they are in the collection."""

    mount: Mount
    catalog: TreeCatalog
    pages: Mapping[str, DocPage]
    """By their path in the tree."""


class CollectionCatalog(DocCatalog):
    """The visible pages of several trees, each with its path in the collection."""

    def __init__(
        self,
        mounts: Sequence[Mount],
        catalogs: Sequence[TreeCatalog],
        before: "CollectionCatalog | None" = None,
    ) -> None:
        """Hold the pages of the catalogs; those known from `before` are kept."""
        known: Sequence[_Part | None] = [None] * len(mounts)
        if before is not None:
            known = before.parts
        self.parts: Sequence[_Part] = [
            _Part(mount, catalog, _move_pages(mount, catalog, part))
            for mount, catalog, part in zip(mounts, catalogs, known, strict=True)
        ]
        """In the order of the mounts."""
        self._places = _find_places(self.parts)
        by_path = {
            page.path: page for part in self.parts for page in part.pages.values()
        }
        links = {
            f"{part.mount.prefix}{path}": f"{part.mount.prefix}{real}"
            for part in self.parts
            for path, real in part.catalog.snapshot.links.items()
        }
        aliases = {page.path: page.aliases for page in by_path.values() if page.aliases}
        lookup = before.lookup if before is not None else PathLookup()
        super().__init__(
            by_path,
            lookup.updated(by_path, links, aliases),
            sum(catalog.hidden_count for catalog in catalogs),
        )

    def updated(self, catalogs: Sequence[TreeCatalog]) -> "CollectionCatalog":
        """Return the catalog of later catalogs; blocks, call it in a thread.

        If only the texts of pages changed, everything else is shared.
        """
        if not all(
            part.catalog.shares_structure(catalog)
            for part, catalog in zip(self.parts, catalogs, strict=True)
        ):
            mounts = [part.mount for part in self.parts]
            return CollectionCatalog(mounts, catalogs, self)
        parts = [
            part
            if part.catalog is catalog
            else _Part(part.mount, catalog, _move_pages(part.mount, catalog, part))
            for part, catalog in zip(self.parts, catalogs, strict=True)
        ]
        changed = self.replace_texts(
            {
                part.pages[path].path: part.pages[path]
                for before, part in zip(self.parts, parts, strict=True)
                if before is not part
                for path in _list_edited(before.catalog, part.catalog)
            }
        )
        changed.parts = parts
        return changed

    @property
    def generation(self) -> int:
        """The sum of those of the trees: it changes with each of them."""
        return sum(part.catalog.generation for part in self.parts)

    @property
    def lookup(self) -> PathLookup:
        """The lookup of paths, for a later catalog."""
        return self._lookup

    @cached_property
    def outline(self) -> tuple[SidebarItem, ...]:
        """Those of the unnamed tree, and a group for each of the others."""
        items: list[SidebarItem] = []
        for part in self.parts:
            below = tuple(_move_items(part, part.catalog.outline))
            if not part.mount.prefix:
                items += below
            elif below:
                items.append(SidebarItem(_name_part(part), below=below))
        return tuple(items)

    @cached_property
    def topbar(self) -> Topbar:
        """That of the first tree that has one."""
        for part in self.parts:
            topbar = part.catalog.topbar
            if topbar.left or topbar.middle or topbar.right:
                return _move_topbar(part, topbar)
        return Topbar()

    def resolve(self, href: str, source: str) -> PageTarget | None:
        """Return the visible page that a link in a file leads to, or None.

        A link to a page that is not translated leads to that of the default language.
        A relative one may lead to another tree by the folders on the disk. An address
        from the root stays in the tree, in any of its editions, or begins with the name
        of another; a resource URI is from the root of the collection too.
        """
        part = self._find_part(source)
        below = source.removeprefix(part.mount.prefix)
        for each in (part, *self._list_originals(part)):
            if (target := each.catalog.resolve(href, below)) is not None:
                return PageTarget(each.pages[target.path].path, target.anchor)
        path, _, anchor = href.removeprefix(URI_PREFIX).partition("#")
        if not href.startswith((URI_PREFIX, "/")):
            return self._find_neighbour(part, href, below)
        if len(path) < 2:
            return None
        own, is_local = part.mount.source, href.startswith("/")
        tree = f"{own}/" if own else ""
        names = resolve_file(href, below, part.catalog.link_rules)
        for name in (*(f"{tree}{name}" for name in names), path):
            page = self.find_exact(name)
            if page is None or (is_local and own and not page.edition.source):
                continue
            return PageTarget(page.path, anchor)
        return None

    def _find_neighbour(self, part: _Part, href: str, below: str) -> PageTarget | None:
        """Return the visible page of another tree that a relative link leads to.

        Roots are compared as paths: the disk is not read, and a hidden page is a
        missing one.
        """
        if len(href) > MAX_LINK_CHARS or (read_path(href) or "/").startswith("/"):
            return None
        own = self._places[part.mount.prefix]
        name = follow_link(href, f"{own}{below}")
        if name is None or name.startswith(own):
            return None
        for other in self.parts:
            place = self._places[other.mount.prefix]
            if not f"{name.rstrip('/')}/".startswith(place):
                continue
            page = other.catalog.find_exact(name.removeprefix(place.rstrip("/")) or "/")
            if page is not None:
                path = other.pages[page.path].path
                return PageTarget(path, href.partition("#")[2])
        return None

    def find_published(self, address: str) -> DocPage | None:
        """Return the visible page at a full address of a tree's site, or None.

        A version that the address names comes first, then the default version, each
        in the default language first.
        """

        def rank(part: _Part) -> tuple[bool, bool, bool]:
            rules = part.catalog.configuration.editions
            return (
                f"/{rules.version}/" not in address,
                rules.version != rules.default_version,
                rules.language != rules.default_language,
            )

        for part in sorted(self.parts, key=rank):
            if (page := part.catalog.find_published(address)) is not None:
                return part.pages[page.path]
        return None

    def _list_originals(self, part: _Part) -> Iterator[_Part]:
        """Yield the parts from which a part of another language is translated."""
        editions = part.catalog.configuration.editions
        if editions.language == editions.default_language:
            return
        for other in self.parts:
            rules = other.catalog.configuration.editions
            is_original = rules.language == rules.default_language
            is_same = (other.mount.source, rules.version) == (
                part.mount.source,
                editions.version,
            )
            if is_same and is_original:
                yield other

    def name_page(self, path: str) -> tuple[str, str]:
        """Return the name of a page's tree, and its path without its edition."""
        part = self._find_part(path)
        _, name = part.catalog.name_page(path.removeprefix(part.mount.prefix))
        return part.mount.source, name

    def _find_part(self, path: str) -> _Part:
        fitting = (part for part in self.parts if path.startswith(part.mount.prefix))
        return max(fitting, key=lambda part: len(part.mount.prefix))

    def _read_sidebar(self) -> tuple[SidebarItem, ...]:
        """Return the outline if any tree has a sidebar."""
        has_sidebar = any(part.catalog.sidebar for part in self.parts)
        return self.outline if has_sidebar else ()

    def _name_folder(self, page: DocPage) -> tuple[str, str]:
        """Return those of the tree's group in the sidebar, if it is a named tree's."""
        part = self._find_part(page.path)
        title = _name_part(part)
        if part.mount.source and title in self._group_titles:
            return title, title
        return super()._name_folder(page)

    @cached_property
    def _group_titles(self) -> frozenset[str]:
        """The titles of the groups of the sidebar."""
        return frozenset(item.title for item in self.sidebar if item.below)


def _find_places(parts: Sequence[_Part]) -> Mapping[str, str]:
    """Return where the root of each part is in the folder that contains all of them.

    By the part's prefix; with a slash at the end, empty for that folder itself.
    """
    roots = [os.path.abspath(part.catalog.configuration.root) for part in parts]
    top = os.path.commonpath(roots)
    places = (os.path.relpath(root, top) for root in roots)
    return {
        part.mount.prefix: "" if place == os.curdir else f"{place}/"
        for part, place in zip(parts, places, strict=True)
    }


def _move_pages(
    mount: Mount, catalog: TreeCatalog, before: _Part | None
) -> Mapping[str, DocPage]:
    """Return the pages of a tree with their paths in the collection.

    Unchanged ones are those of `before`.
    """
    if before is None:
        return {path: _move_page(mount, page) for path, page in catalog.by_path.items()}
    known, moved = before.catalog.by_path, before.pages
    edited = catalog.find_edited(before.catalog)
    if edited is not None:
        pages = {path: _move_page(mount, catalog.by_path[path]) for path in edited}
        return {**moved, **pages}
    return {
        path: moved[path] if known.get(path) is page else _move_page(mount, page)
        for path, page in catalog.by_path.items()
    }


def _list_edited(before: TreeCatalog, after: TreeCatalog) -> Iterable[str]:
    """Return the paths of the pages with another text, in catalogs of the same ones."""
    edited = after.find_edited(before)
    if edited is not None:
        return edited
    known = before.by_path
    return [path for path, page in after.by_path.items() if known[path] is not page]


def _move_page(mount: Mount, page: DocPage) -> DocPage:
    return msgspec.structs.replace(
        page,
        path=f"{mount.prefix}{page.path}",
        aliases=tuple(f"{mount.prefix}{alias.lstrip('/')}" for alias in page.aliases),
        edition=msgspec.structs.replace(page.edition, source=mount.source),
    )


def _name_part(part: _Part) -> str:
    """Return the title of a tree's group in the sidebar.

    Where its edition is not the default one, with the version or language.
    """
    configuration, source = part.catalog.configuration, part.mount.source
    rules = configuration.editions
    names = (
        configuration.title or readable_title(source),
        rules.version if rules.version != rules.default_version else "",
        rules.language if rules.language != rules.default_language else "",
    )
    return " ".join(filter(None, names)) or rules.version or rules.language


def _move_items(part: _Part, items: Sequence[SidebarItem]) -> Iterator[SidebarItem]:
    for item in items:
        path = part.pages[item.path].path if item.path is not None else None
        below = tuple(_move_items(part, item.below))
        yield msgspec.structs.replace(item, path=path, below=below)


def _move_topbar(part: _Part, topbar: Topbar) -> Topbar:
    def move(widgets: Sequence[Widget]) -> tuple[Widget, ...]:
        return tuple(
            replace(widget, item=next(_move_items(part, (widget.item,))))
            if widget.item is not None
            else widget
            for widget in widgets
        )

    return Topbar(move(topbar.left), move(topbar.middle), move(topbar.right))
