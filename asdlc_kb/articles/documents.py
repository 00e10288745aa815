"""The articles of a catalog as documents for full-text search, and its requests."""

from collections.abc import Mapping

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.article_filter import ArticleQuery, find_keys
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.search.values import (
    DocumentSource,
    IndexedSection,
    SearchDocument,
    SearchRequest,
)


class ArticleSource:
    """The visible articles of a catalog. Their keys are `category/slug`."""

    def __init__(self, catalog: ArticleCatalog) -> None:
        self._catalog = catalog

    def digests(self) -> Mapping[str, bytes]:
        """Return the digest of each visible article's file."""
        return self._catalog.digests

    def changes_since(self, earlier: DocumentSource) -> None:
        """Return None: any article may differ."""

    def document(self, key: str) -> SearchDocument:
        """Return a visible article as a search document."""
        article = self._catalog.by_id[key]
        return SearchDocument(
            key=key,
            digest=self._catalog.digests[key],
            title=article.title,
            description=article.description,
            tags=article.tags,
            aliases=article.aliases,
            category=article.category,
            sections=tuple(_sections(article)),
        )


def make_request(
    catalog: ArticleCatalog, query: ArticleQuery, limit: int
) -> SearchRequest:
    """Return the request of a full-text search; raise UnknownCategory."""
    return SearchRequest(
        query.text,
        limit,
        catalog.has_digest,
        category=catalog.resolve_category(query.category),
        keys=find_keys(catalog.articles, query.filters),
    )


def _sections(article: Article) -> list[IndexedSection]:
    """Return an article's sections, with line numbers of its file."""
    # Imported late: most of the memory that is unused until the first full-text search.
    from asdlc_kb.markup.plain_text import to_plain_text
    from asdlc_kb.markup.sections import split_sections

    above = article.positions.body - 1
    return [
        IndexedSection(
            heading=section.heading,
            anchor=section.anchor,
            level=section.level,
            line=above + section.first,
            text=to_plain_text(section.below),
        )
        for section in split_sections(article.body)
    ]
