"""The pages of one edition of documentation, in order, with their sidebar.

The default editions of all trees are one site. Another edition stands by itself, next
to the default ones of the other trees.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.edition import DEFAULT, Edition
from asdlc_kb.docs.navigation.sidebar import SidebarItem, list_paths
from asdlc_kb.docs.pages.page import DocPage


@dataclass(frozen=True, slots=True)
class EditionPages:
    """What a page of an edition shows of its documentation."""

    sidebar: tuple[SidebarItem, ...]
    pages: tuple[DocPage, ...]
    """The pages of the edition, in the order of the sidebar."""


def edition_key(edition: Edition) -> Edition:
    """Return the key of an edition: the default ones of all trees have the same one."""
    return DEFAULT if edition.is_default else edition


def list_edition(catalog: DocCatalog, edition: Edition) -> EditionPages:
    """Return the pages of an edition, or of the default ones of all trees."""

    def is_own(page: DocPage) -> bool:
        return edition_key(page.edition) == edition_key(edition)

    def is_shown(page: DocPage) -> bool:
        is_other_tree = page.edition.source != edition.source
        return is_own(page) or (is_other_tree and page.edition.is_default)

    if all(map(is_own, catalog.by_path.values())):
        return EditionPages(catalog.outline, catalog.pages)
    by_path = catalog.by_path
    sidebar = tuple(_select(catalog.outline, lambda path: is_shown(by_path[path])))
    if not any(is_own(by_path[path]) for path in list_paths(sidebar)):
        sidebar = tuple(_translate(catalog, catalog.outline, edition))
    if len(sidebar) == 1 < len(catalog.outline):
        sidebar = tuple(_open(sidebar[0]))
    own = {page.path: page for page in catalog.pages if is_own(page)}
    named = {path: own[path] for path in list_paths(sidebar) if path in own}
    pages = named | own
    return EditionPages(sidebar, tuple(pages.values()))


def _select(
    items: Sequence[SidebarItem], keeps: Callable[[str], bool]
) -> Iterator[SidebarItem]:
    """Yield items without the pages of other editions and the groups of those alone.

    The links to elsewhere in such a group are those of its edition.
    """
    for item in items:
        below = tuple(_select(item.below, keeps))
        path = item.path if item.path is not None and keeps(item.path) else None
        if any(list_paths(item.below)) and not any(list_paths(below)):
            below = ()
        if below or path is not None or item.href:
            yield replace(item, path=path, below=below)


def _translate(
    catalog: DocCatalog, items: Sequence[SidebarItem], edition: Edition
) -> Iterator[SidebarItem]:
    """Yield items with the same pages in another edition."""
    for item in items:
        below = tuple(_translate(catalog, item.below, edition))
        page = find_same(catalog, item.path, edition)
        if page is not None:
            title = page.menu_title
            yield replace(item, title=title, path=page.path, below=below)
        elif below or item.href:
            yield replace(item, path=None, below=below)


def find_same(
    catalog: DocCatalog, path: str | None, edition: Edition
) -> DocPage | None:
    """Return the page at a path in another edition."""
    if path is None:
        return None
    others = catalog.list_editions(catalog.by_path[path])
    return next((page for page in others if page.edition == edition), None)


def _open(item: SidebarItem) -> Iterator[SidebarItem]:
    """Yield what is in the group of an edition; it is the whole sidebar."""
    if item.below and item.path is not None:
        yield replace(item, below=())
    yield from item.below or (item,)
