"""A site without a server: its pages as values."""

from pathlib import Path

from asdlc_kb.app.doc_trees import open_trees
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.settings import Settings
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.page_renderer import PageRenderer
from asdlc_kb.site.representation import Representation
from asdlc_kb.site.site_snapshot import SiteSnapshot
from support.docs import DocsTree
from support.knowledge import KnowledgeBase, settled_clock

BASE = "https://example.com"
LOCAL = "http://127.0.0.1:9430"
"""The address of a site without a base URL, on its own machine."""
TITLE = "Title & Co"


def open_libraries(
    content: Path | None, docs: Path | None
) -> tuple[ArticleLibrary | None, DocCollection | None]:
    """Return loaded libraries for which every file is settled."""
    articles = content and ArticleLibrary(content, clock=settled_clock)
    pages = docs and DocLibrary(docs, clock=settled_clock)
    for library in (articles, pages):
        if library:
            library.load()
    return articles or None, DocCollection.of(pages) if pages else None


def open_site(
    knowledge: KnowledgeBase | None,
    tree: DocsTree | None = None,
    base_url: str | None = None,
    *,
    needs_token: bool = False,
) -> PageRenderer:
    """Return the site of the content written so far."""
    return PageRenderer(
        SiteIdentity(
            TITLE,
            "What it is",
            base_url,
            "1.2.3",
            needs_token=needs_token,
            local_url=LOCAL,
        ),
        *open_libraries(
            knowledge.root if knowledge else None, tree.root if tree else None
        ),
    )


def open_docs(
    *given: str, base_url: str | None = None, content: Path | None = None
) -> PageRenderer:
    """Return the site of documentation; each tree is given as to `--docs`."""
    docs = open_trees(Settings(), given)
    for tree in docs.trees:
        tree.library.load()
    articles, _ = open_libraries(content, None)
    return PageRenderer(SiteIdentity(TITLE, base_url=base_url), articles, docs)


def read_full(site: PageRenderer, path: str = "/llms-full.txt") -> list[bytes]:
    """Return the pieces of llms-full.txt, or of a part of it."""
    pieces = site.full_text(site.snapshot).write(path)
    assert pieces is not None, path
    return list(pieces)


def find_page(
    site: PageRenderer, path: str, snapshot: SiteSnapshot | None = None
) -> Representation:
    """Return the page at an existing address."""
    found = site.find(snapshot or site.snapshot, path)
    assert isinstance(found, Representation), path
    return found
