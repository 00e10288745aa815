"""MCP notifications for changes of the visible articles.

Editing a draft causes none; promoting and demoting one change the list and the content
of its URI.
"""

from collections.abc import Iterator
from itertools import chain

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import ArticleCatalog
from asdlc_kb.articles.differences import ArticleChanges, compare_snapshots
from asdlc_kb.articles.links import article_uri
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)
from asdlc_kb.providers.articles import prompts, views


def list_events(before: ArticleCatalog, after: ArticleCatalog) -> list[Event]:
    """Return the events for the change from one catalog to the next."""
    changes = compare_snapshots(before, after)
    events: list[Event] = []
    if before.categories != after.categories:
        events.append(ToolsChanged())
        if prompts.offered_prompts(before.categories) != prompts.offered_prompts(
            after.categories
        ):
            events.append(PromptsChanged())
    is_relisted = any(_listed(old) != _listed(new) for old, new in changes.edited)
    if changes.added or changes.removed or is_relisted:
        events.append(ResourcesChanged())
    # At the start there may be 100,000 articles, and no client has read any.
    if before.snapshot.generation:
        events.extend(
            ResourceUpdated(article_uri(name))
            for name in _names(changes)
            if _is_refetched(before.get_or_none(name), after.get_or_none(name))
        )
    return events


def _listed(article: Article) -> tuple[str, ...]:
    """Return the fields of an article in the resource list."""
    return (
        article.title,
        article.description,
        article.last_updated,
        article.status.value,
    )


def _names(changes: ArticleChanges) -> Iterator[str]:
    """Yield each name that may resolve differently: articles can share a slug."""
    edited = (article for article, _ in changes.edited)
    changed = tuple(chain(changes.removed, edited, changes.added))
    yield from dict.fromkeys(article.id for article in changed)
    yield from dict.fromkeys(article.slug for article in changed)


def _is_refetched(old: Article | None, new: Article | None) -> bool:
    """Whether the served content changed; not every field is served."""
    if old == new:
        return False
    if old is None or new is None:
        return True
    return views.article_markdown(old) != views.article_markdown(new)
