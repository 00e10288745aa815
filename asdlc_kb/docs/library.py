"""The pages of one documentation tree, in sync with the disk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias, Unpack

from asdlc_kb.docs.catalog import DocCatalog
from asdlc_kb.docs.links import path_candidates
from asdlc_kb.docs.page import NAVIGATION, PageContent, keeps_last_good, read_page
from asdlc_kb.docs.written_names import list_page_names
from asdlc_kb.files import live_library
from asdlc_kb.files.article_listing import Listing
from asdlc_kb.files.cache import CacheOptions, ContentCache
from asdlc_kb.files.tree_listing import check_page_path, is_tree_path, list_tree

DocUpdate: TypeAlias = live_library.LibraryUpdate[PageContent, DocCatalog]


class DocLibrary(live_library.LiveLibrary[PageContent, DocCatalog]):
    """Owns the content cache of a tree and the catalog of its current snapshot."""

    def __init__(self, root: Path, **options: Unpack[CacheOptions]) -> None:
        cache: ContentCache[PageContent] = ContentCache(
            root,
            read_page,
            list_files=_list_pages,
            judge=check_page_path,
            keeps_last_good=keeps_last_good,
            **options,
        )
        super().__init__(cache, DocCatalog(cache.snapshot))

    @property
    def kind(self) -> Literal["docs"]:
        """The kind of its entries."""
        return "docs"

    async def fetch(self, name: str) -> DocCatalog:
        """Return a catalog in which the named page matches the disk now.

        A name may be written as `DocCatalog.look_up` accepts it. Costs one `stat` for a
        visible page. A name without one costs the same whether the page is hidden or
        missing: one `stat` for each folder that it can be in. So does one of a link.
        """
        pages = self.catalog.match(name)
        catalog = await self.refresh([page.path for page in pages])
        if pages and not self._may_be_link(name):
            return catalog
        return await self.refresh_folders(_folders(name))

    def _may_be_link(self, name: str) -> bool:
        links = self.catalog.snapshot.links
        return bool(links) and any(path in links for path in _paths(name))

    def is_current(self, name: str) -> bool:
        """Whether the file of a visible page is unchanged since it was read.

        Costs one `stat`; False for a name without a page.
        """
        pages = self.catalog.match(name)
        return len(pages) == 1 and self._cache.is_current(pages[0].path)


def _list_pages(root: Path) -> Listing:
    """List a tree; the sidebar and the topbar may be links to pages."""
    return list_tree(root, NAVIGATION)


def _folders(written: str) -> list[str]:
    """Return the folders that can hold the named page, "" for the root."""
    paths = filter(is_tree_path, _paths(written))
    return list(dict.fromkeys(path.rpartition("/")[0] for path in paths))


def _paths(written: str) -> Iterator[str]:
    """Yield the paths that can be meant by a name."""
    for name in list_page_names(written):
        yield from path_candidates(name)
