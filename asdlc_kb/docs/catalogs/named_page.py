"""The page that a search query names: by its path, file name or published address."""

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.links.written_names import list_page_names

_MAX_CHARS = 500
"""Characters of a query that may be a path."""


def find_named_page(catalog: DocCatalog, query: str) -> str | None:
    """Return the path of the visible page that a query names, or None.

    A query with blanks names none. Without a slash, it must be a whole path or end in
    `.md`; with one, it may be what stands for one path alone.
    """
    name = query.strip().strip("\"'<>`")
    if not name or len(name) > _MAX_CHARS or any(map(str.isspace, name)):
        return None
    page = catalog.find_published(name)
    names = tuple(list_page_names(name))
    if page is None:
        page = next(filter(None, map(catalog.find_exact, names)), None)
    if page is None and ("/" in name or name.lower().endswith((".md", ".mdx"))):
        page = next(filter(None, map(catalog.get_or_none, names)), None)
    return page.path if page else None
