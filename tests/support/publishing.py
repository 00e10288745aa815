"""A site without a server: its pages as values."""

from pathlib import Path

from asdlc_kb.articles.library import Library as ArticleLibrary
from asdlc_kb.docs.library import Library as DocLibrary
from asdlc_kb.site.frame import Identity
from asdlc_kb.site.page import Page
from asdlc_kb.site.shelves import Shelves
from asdlc_kb.site.site import Site
from support.docs import DocsTree
from support.knowledge import KnowledgeBase, settled_clock

BASE = "https://example.com"
TITLE = "Title & Co"


def open_libraries(
    content: Path | None, docs: Path | None
) -> tuple[ArticleLibrary | None, DocLibrary | None]:
    """Return loaded libraries for which every file has long been still."""
    articles = content and ArticleLibrary(content, clock=settled_clock)
    pages = docs and DocLibrary(docs, clock=settled_clock)
    for library in (articles, pages):
        if library:
            library.load()
    return articles or None, pages or None


def open_site(
    knowledge: KnowledgeBase | None,
    tree: DocsTree | None = None,
    base_url: str | None = None,
    *,
    needs_token: bool = False,
) -> Site:
    """Return the site of what is written so far."""
    return Site(
        Identity(TITLE, "What it is", base_url, "1.2.3", needs_token=needs_token),
        *open_libraries(knowledge and knowledge.root, tree and tree.root),
    )


def find_page(site: Site, path: str, shelves: Shelves | None = None) -> Page:
    """Return the page at an address that has one."""
    found = site.find(shelves or site.shelves, path)
    assert isinstance(found, Page), path
    return found
