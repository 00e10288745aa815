"""What a change of the visible articles means to MCP clients.

Only what can be seen speaks: editing a draft is silent, promoting one changes the list,
demoting one changes the list and what its URI reads.
"""

from collections.abc import Iterator

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.catalog import Catalog
from asdlc_kb.articles.changes import compare
from asdlc_kb.mcp.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)
from asdlc_kb.providers import prompts, views


def announce(before: Catalog, after: Catalog) -> list[Event]:
    """Return the events of going from one catalog to the next."""
    changes = compare(before, after)
    events: list[Event] = []
    if before.categories != after.categories:
        events.append(ToolsChanged())
        if prompts.offered(before.categories) != prompts.offered(after.categories):
            events.append(PromptsChanged())
    is_relisted = any(_listed(old) != _listed(new) for old, new in changes.edited)
    if changes.added or changes.removed or is_relisted:
        events.append(ResourcesChanged())
    for article in changes.removed:
        events.extend(_updated(article, before))
    for _, article in changes.edited:
        events.extend(_updated(article, after))
    return events


def _listed(article: Article) -> tuple[str, ...]:
    """Return what the list of resources says of an article."""
    return (
        article.title,
        article.description,
        article.last_updated,
        article.status.value,
    )


def _updated(article: Article, catalog: Catalog) -> Iterator[ResourceUpdated]:
    """Yield an event for each URI that the article is read by."""
    for name in {article.id, catalog.name(article)}:
        yield ResourceUpdated(views.uri(name))
