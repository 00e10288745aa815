"""Documents for search, and a source of them."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b

from asdlc_kb.search.index.index_snapshot import IndexSnapshot
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import (
    DocumentSource,
    IndexedSection,
    SearchDocument,
    SearchRequest,
    SearchResults,
)


def section(heading: str, text: str, line: int = 1) -> IndexedSection:
    """Return a section with its heading in lower case with dashes as the anchor."""
    anchor = heading.lower().replace(" ", "-")
    return IndexedSection(heading, anchor, 2 if heading else 0, line, text)


def document(
    key: str, title: str, text: str = "", *sections: IndexedSection, **fields: object
) -> SearchDocument:
    """Return a document; its digest is that of everything in it."""
    first = (section("", text, 5),) if text else ()
    plain = SearchDocument(key, b"", title, "", (), "guides", (*first, *sections))
    filled = replace(plain, **fields)  # type: ignore[arg-type]
    digest = blake2b(repr(filled).encode(), digest_size=8).digest()
    return replace(filled, digest=digest)


class Texts(DocumentSource):
    """A source of fixed documents."""

    def __init__(self, *documents: SearchDocument) -> None:
        self.documents = {one.key: one for one in documents}
        self.asked: list[str] = []

    def digests(self) -> Mapping[str, bytes]:
        """Return the digests."""
        return {key: one.digest for key, one in self.documents.items()}

    def document(self, key: str) -> SearchDocument:
        """Return a document, and record the request."""
        self.asked.append(key)
        return self.documents[key]

    def accepts(self, key: str, digest: bytes) -> bool:
        """Whether a document is one of these."""
        one = self.documents.get(key)
        return one is not None and one.digest == digest


def index(*documents: SearchDocument) -> tuple[FullText, Texts]:
    """Return an index of documents in memory, and their source."""
    source = Texts(*documents)
    fulltext = FullText(None)
    fulltext.sync(source)
    return fulltext, source


def open_snapshot(*documents: SearchDocument) -> IndexSnapshot:
    """Return an index snapshot of documents, by default of DOCUMENTS."""
    snapshot = index(*(documents or DOCUMENTS))[0]._snapshot
    assert snapshot is not None
    return snapshot


def find(pair: tuple[FullText, Texts], query: str, limit: int = 10) -> SearchResults:
    """Search as a reader who may see everything in the source."""
    fulltext, source = pair
    return fulltext.search(SearchRequest(query, limit, source.accepts))


def keys(results: SearchResults) -> list[str]:
    """Return the keys of the hits, best first."""
    return [hit.key for hit in results.hits]


DOCUMENTS = (
    document(
        "guides/cache.md",
        "Caching pages",
        "The cache keeps what was read. Configuration of the cache is simple.",
        section("Clearing the cache", "Run the clear command to empty it.", 12),
        section("Lifetime", "Entries expire after ten minutes.", 20),
        tags=("speed", "memory"),
    ),
    document(
        "guides/deploy.md",
        "Deploying to a server",
        "Put the site behind a proxy. The configuration file is read once.",
        section("Behind nginx", "Set proxy_pass and the read timeout.", 9),
        category="operations",
    ),
    document(
        "guides/metadata.md",
        "Metadata of a page",
        "Every page begins with frontmatter: its title and its date.",
        section("Dates", "Use ISO dates. Café hours are not dates.", 15),
    ),
    document("guides/zh.md", "缓存", "缓存保存已读取的页面。服务器配置很简单。"),
)
"""A few documents for queries."""
