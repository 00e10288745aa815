"""Visible differences between two catalogs."""

from dataclasses import dataclass

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog


@dataclass(frozen=True, slots=True)
class ArticleChanges:
    """Visible articles that were added, removed or edited. Drafts are left out."""

    added: tuple[Article, ...]
    removed: tuple[Article, ...]
    """In their last version."""
    edited: tuple[tuple[Article, Article], ...]
    """Before and after."""


def compare_snapshots(before: ArticleCatalog, after: ArticleCatalog) -> ArticleChanges:
    """Return the changes from one catalog to a later one."""
    old, new = before.by_id, after.by_id
    return ArticleChanges(
        added=tuple(article for name, article in new.items() if name not in old),
        removed=tuple(article for name, article in old.items() if name not in new),
        edited=tuple(
            (old[name], article)
            for name, article in new.items()
            if name in old and old[name] is not article and old[name] != article
        ),
    )
