"""Articles as documents of a full-text index, from one catalog."""

from collections.abc import Mapping

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.search.document import Document, Section


class ArticleSource:
    """The visible articles of a catalog. Their keys are `category/slug`."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def digests(self) -> Mapping[str, bytes]:
        """Return the digest of each visible article's file."""
        return self._catalog.digests

    def document(self, key: str) -> Document:
        """Return a visible article as it is searched for."""
        article = self._catalog.by_id[key]
        return Document(
            key=key,
            digest=self._catalog.digests[key],
            title=article.title,
            description=article.description,
            tags=article.tags,
            category=article.category,
            sections=tuple(_sections(article)),
        )


def _sections(article: Article) -> list[Section]:
    """Return an article's sections, with lines as its file has them."""
    # Most of the memory that a server has no use for until somebody asks for full text.
    from asdlc_kb.markup.plain import plain
    from asdlc_kb.markup.sections import split

    above = article.places.body - 1
    return [
        Section(
            heading=section.heading,
            anchor=section.anchor,
            level=section.level,
            line=above + section.first,
            text=plain(section.below),
        )
        for section in split(article.body)
    ]
