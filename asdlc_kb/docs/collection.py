"""Several documentation trees as one: pages, lookup, attachments, changes (D-162).

The pages of a tree with a prefix have it before their paths. One tree without a prefix
is its own collection: its catalog is used as it is.
"""

import asyncio
import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import Final, Literal, TypeAlias

from asdlc_kb.attachments.referenced_files import AttachmentLibrary, ReferencedFiles
from asdlc_kb.attachments.store import (
    Attachment,
    AttachmentStore,
    AttachmentStores,
)
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.catalogs.collection_catalog import CollectionCatalog, Mount
from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.generators.exclusions import Exclusions
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.links.link_resolution import LinkRules, localize, read_rules
from asdlc_kb.docs.links.written_names import list_page_names
from asdlc_kb.exceptions import DocNotFound
from asdlc_kb.files.live_library import MAX_READ_ATTEMPTS, FreshnessCheck, Notify

MAX_KEPT_CATALOGS: Final = 4
"""Merged catalogs that are kept: those before and after changes of two trees."""

UNNAMED: Final = "docs"
"""The name, as a source, of the tree that has none."""


@dataclass(frozen=True, slots=True)
class DocTree:
    """A tree of a collection, or a folder with an edition of one."""

    mount: Mount
    library: DocLibrary
    folder: Path | None = None
    """What the operator named; None for the root."""

    def locate_file(self, path: str) -> str:
        """Return the path of a page's file from the folder of its repository.

        Without one, from what contains the folder that the operator named.
        """
        root = self.library.root.absolute()
        named = Path(os.path.abspath(self.folder or root))
        tops = self.library.configuration.repository, named.parent, root.parent
        top = next(
            each for each in tops if each is not None and root.is_relative_to(each)
        )
        return (root.relative_to(top) / path).as_posix()

    @property
    def source(self) -> str:
        """The name of the tree as a source, the same for all its editions."""
        return self.mount.source or UNNAMED

    @property
    def name(self) -> str:
        """What the operator called it, with its edition; empty for the unnamed one."""
        return self.mount.prefix.rstrip("/")


_AttachmentRules: TypeAlias = tuple[tuple[Path, ...], Exclusions, LinkRules]
"""The folders with attachments of a tree, what it leaves out, and its addresses."""

_generation_of = attrgetter("generation")


class DocCollection:
    """The libraries of all trees, and one catalog of their pages."""

    def __init__(self, trees: Sequence[DocTree]) -> None:
        """Serve at least one tree, no two with the same prefix."""
        self.trees = tuple(trees)
        self._mounts = tuple(tree.mount for tree in trees)
        self._is_single = len(trees) == 1 and trees[0].mount == Mount()
        self._merged: dict[tuple[TreeCatalog, ...], CollectionCatalog] = {}
        """By the catalogs of the trees; the latest comes last."""
        self._prepared: dict[int, TreeCatalog] = {}
        """The last catalog that a tree announced, by the number of the tree."""
        self._lock = Lock()
        self._attachments: (
            tuple[tuple[_AttachmentRules, ...], AttachmentLibrary] | None
        ) = None
        """Where the attachments of each tree are, and the files in them."""

    @classmethod
    def of(cls, library: DocLibrary) -> "DocCollection":
        """Return a collection of one tree, without a name."""
        return cls((DocTree(Mount(), library),))

    @property
    def kind(self) -> Literal["docs"]:
        """The kind of its entries."""
        return "docs"

    @property
    def catalog(self) -> DocCatalog:
        """The pages that are visible now.

        Prepared by the thread that scans, so that reading it does not block.
        """
        return self._merge(tuple(tree.library.catalog for tree in self.trees))

    @property
    def generation(self) -> int:
        """That of the catalog, without making it."""
        return sum(tree.library.catalog.generation for tree in self.trees)

    @property
    def main_trees(self) -> tuple[DocTree, ...]:
        """The unnamed tree, or else the only one, with its editions; or none."""
        unnamed = tuple(tree for tree in self.trees if not tree.mount.source)
        is_only = len({tree.mount.source for tree in self.trees}) == 1
        return unnamed or (self.trees if is_only else ())

    @property
    def title(self) -> str:
        """The title that a generator's configuration states; empty for none.

        That of the unnamed tree, or else of the only one.
        """
        titles = (tree.library.configuration.title for tree in self.main_trees)
        return next(filter(None, titles), "")

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders of the trees."""
        return tuple(tree.library.root for tree in self.trees)

    def select(self, names: Container[str]) -> "DocCollection | None":
        """Return the trees with these names as a collection; None without any.

        Their pages have the same paths. The libraries are the same objects.
        """
        trees = [tree for tree in self.trees if tree.source in names]
        if len(trees) == len(self.trees):
            return self
        return DocCollection(trees) if trees else None

    def listen(
        self, listener: Callable[[DocCatalog, DocCatalog], Notify]
    ) -> Callable[[], None]:
        """Register a listener for each later change, as `LiveLibrary.listen`."""
        removals = [
            tree.library.listen(self._wrap(number, listener))
            for number, tree in enumerate(self.trees)
        ]

        def remove() -> None:
            for each in removals:
                each()

        return remove

    def open_files(self, catalog: DocCatalog) -> ReferencedFiles:
        """Return the attachments of the visible pages of a catalog."""
        libraries = [tree.library for tree in self.trees]
        rules = tuple(
            (each.attachment_folders, each.exclusions, read_rules(each.configuration))
            for each in libraries
        )
        if self._attachments is None or self._attachments[0] != rules:
            stores = [
                AttachmentStore(
                    folders,
                    mount.prefix,
                    library.configuration.name_folders,
                    exclusions.make_file_filter,
                    partial(localize, rules=link_rules),
                )
                for library, mount, (folders, exclusions, link_rules) in zip(
                    libraries, self._mounts, rules, strict=True
                )
            ]
            store = stores[0] if len(stores) == 1 else AttachmentStores(stores)
            self._attachments = rules, AttachmentLibrary(store)
        pages = catalog.by_path.values()
        return self._attachments[1].open(
            catalog,
            lambda: (page.referring_text for page in pages if page.may_refer),
        )

    async def fetch(self, name: str) -> DocCatalog:
        """Return a catalog in which the named page matches the disk now.

        As `DocLibrary.fetch`, in the trees that the name can be of: which ones depends
        on the visible pages and the name alone.
        """
        catalog = self.catalog
        for tree, below in self._list_meant(catalog, name):
            await tree.library.fetch(below)
        return self.catalog

    def read_source(self, path: str) -> str:
        """Return the file of a visible page as it is, but for invisible characters.

        Blocks. Raises DocNotFound if it is no longer there or hidden.
        """
        tree, below = self.locate(path)
        try:
            return tree.library.read_source(below)
        except DocNotFound:
            raise DocNotFound(path) from None

    def make_check(self, name: str) -> FreshnessCheck:
        """Return a check whether the named page matches the disk."""
        checks = [
            tree.library.make_check(below)
            for tree, below in self._list_meant(self.catalog, name)
        ]
        return lambda: all(check() for check in checks)

    async def fetch_file(self, name: str) -> Attachment | None:
        """Return an attachment to which a page that is visible now refers, or None."""
        for _ in range(MAX_READ_ATTEMPTS):
            catalog = self.catalog
            files = self.open_files(catalog)
            names = await asyncio.to_thread(attrgetter("names"), files)
            if name not in names:
                return None
            if await self.fetch(names[name]) is catalog:
                return await asyncio.to_thread(files.find, name)
        return None

    def is_current(self, name: str) -> bool:
        """Whether the file of a visible page is unchanged since it was read.

        Costs one `stat`; False for a name without a page.
        """
        pages = self.catalog.match(name)
        if len(pages) != 1:
            return False
        tree, below = self.locate(pages[0].path)
        return tree.library.is_current(below)

    def locate(self, path: str) -> tuple[DocTree, str]:
        """Return the tree with a page, and the page's path in it."""
        tree = max(
            (tree for tree in self.trees if path.startswith(tree.mount.prefix)),
            key=lambda tree: len(tree.mount.prefix),
        )
        return tree, path.removeprefix(tree.mount.prefix)

    def _list_meant(
        self, catalog: DocCatalog, name: str
    ) -> Iterator[tuple[DocTree, str]]:
        """Yield the trees that a name can be of, with its path in each."""
        if self._is_single:
            yield self.trees[0], name
            return
        pages = catalog.match(name)
        for page in pages:
            yield self.locate(page.path)
        names = tuple(list_page_names(name))
        if pages and any(map(catalog.find_exact, names)):
            return
        for tree in self.trees:
            prefix = tree.mount.prefix
            below = (n.lstrip("/") for n in names if n.lstrip("/").startswith(prefix))
            if (first := next(below, None)) is not None:
                yield tree, first.removeprefix(prefix)

    def _wrap(
        self, number: int, listener: Callable[[DocCatalog, DocCatalog], Notify]
    ) -> Callable[[TreeCatalog, TreeCatalog], Notify]:
        def listen(before: TreeCatalog, after: TreeCatalog) -> Notify:
            parts = [tree.library.catalog for tree in self.trees]
            parts[number] = before
            old = self._merge(tuple(parts))
            parts[number] = after
            new = self._merge(tuple(parts))
            new.precompute()
            self._prepared[number] = after
            self._merge_prepared().precompute()
            return listener(old, new)

        return listen

    def _merge_prepared(self) -> DocCatalog:
        """Return the catalog of the moment when all that is prepared is published.

        Trees that change together are published together.
        """
        current = [tree.library.catalog for tree in self.trees]
        parts = [
            max(catalog, self._prepared.get(number, catalog), key=_generation_of)
            for number, catalog in enumerate(current)
        ]
        return self._merge(tuple(parts))

    def _merge(self, parts: tuple[TreeCatalog, ...]) -> DocCatalog:
        """Return the catalog of some catalogs; the same one for the same ones."""
        if self._is_single:
            return parts[0]
        with self._lock:
            merged = self._merged.get(parts)
            last = next(reversed(self._merged.values()), None)
        if merged is not None:
            return merged
        # Without the lock: the event loop never waits for a scanning thread.
        merged = last.updated(parts) if last else CollectionCatalog(self._mounts, parts)
        with self._lock:
            merged = self._merged.setdefault(parts, merged)
            while len(self._merged) > MAX_KEPT_CATALOGS:
                del self._merged[next(iter(self._merged))]
        return merged
