"""Visible differences between two catalogs."""

from dataclasses import dataclass

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.sorting import sort_articles
from asdlc_kb.files.snapshot import find_changed_paths


@dataclass(frozen=True, slots=True)
class ArticleChanges:
    """Visible articles that were added, removed or edited. Drafts are left out."""

    added: tuple[Article, ...]
    removed: tuple[Article, ...]
    """In their last version."""
    edited: tuple[tuple[Article, Article], ...]
    """Before and after."""


def compare_snapshots(before: ArticleCatalog, after: ArticleCatalog) -> ArticleChanges:
    """Return the changes from one catalog to a later one, each kind in list order."""
    if not before.articles or not after.articles:
        # As at the start, with up to 100,000 articles.
        return ArticleChanges(added=after.articles, removed=before.articles, edited=())
    paths = find_changed_paths(before.snapshot, after.snapshot)
    ids = [path.removesuffix(".md") for path in paths]
    old = {id: before.by_id[id] for id in ids if id in before.by_id}
    new = {id: after.by_id[id] for id in ids if id in after.by_id}
    return ArticleChanges(
        added=tuple(sort_articles(new[id] for id in new.keys() - old.keys())),
        removed=tuple(sort_articles(old[id] for id in old.keys() - new.keys())),
        edited=tuple(
            (old[article.id], article)
            for article in sort_articles(new[id] for id in new.keys() & old.keys())
            if old[article.id] is not article and old[article.id] != article
        ),
    )
