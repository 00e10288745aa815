"""Rows of articles in lists, each written once until a visible article changes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.visible_articles import VisibleArticles
from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.providers.articles import views
from asdlc_kb.providers.shared.results import Row

MAX_ROW_CHARS: Final = 4_000_000
"""Characters of the rows that are kept of one catalog: of their texts and values."""

RowForm: TypeAlias = Callable[[views.ArticleView], Row]
"""Writes a row in one form: as JSON, or as Markdown for one of the tools."""


@dataclass(slots=True)
class _CatalogRows:
    """The rows of one catalog."""

    rows: dict[tuple[RowForm, str, str], Row] = field(default_factory=dict)
    """By form, category and slug."""
    chars: int = 0


class ArticleRows:
    """Keeps the rows of articles without a match: a search writes none twice.

    They are dropped with the last catalog of these visible articles, and all together
    beyond `MAX_ROW_CHARS`.
    """

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[VisibleArticles, _CatalogRows] = (
            WeakKeyDictionary()
        )

    def list(
        self, articles: Iterable[Article], catalog: ArticleCatalog, form: RowForm
    ) -> Iterator[Row]:
        """Yield the rows of articles of a catalog."""
        kept = self._kept.get(catalog.visible)
        if kept is None:
            kept = self._kept[catalog.visible] = _CatalogRows()
        rows = kept.rows
        for article in articles:
            key = form, article.category, article.slug
            row = rows.get(key)
            if row is None:
                row = form(views.article_row(article, catalog))
                _keep(kept, key, row)
            yield row


def _keep(kept: _CatalogRows, key: tuple[RowForm, str, str], row: Row) -> None:
    chars = len(row.text) + len(jsonrpc.write(row.values))
    kept.chars += chars
    if kept.chars > MAX_ROW_CHARS:
        kept.rows.clear()
        kept.chars = chars
    kept.rows[key] = row
