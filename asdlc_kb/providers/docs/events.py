"""MCP notifications for changes of the visible documentation.

A hidden page that is added, changed or removed causes none.
"""

from asdlc_kb.docs.catalog import DocCatalog
from asdlc_kb.docs.page import DocPage
from asdlc_kb.mcp.subscriptions.events import Event, ResourcesChanged, ResourceUpdated
from asdlc_kb.providers.docs import views


def publish_changes(before: DocCatalog, after: DocCatalog) -> list[Event]:
    """Return the events for the change from one catalog to the next."""
    events: list[Event] = []
    old, new = before.by_path, after.by_path
    if list(map(_listed, old.values())) != list(map(_listed, new.values())):
        events.append(ResourcesChanged())
    for path, page in old.items():
        following = new.get(path)
        if following is not page and (following is None or following.text != page.text):
            events.append(ResourceUpdated(views.page_uri(path)))
    return events


def _listed(page: DocPage) -> tuple[str, str, str]:
    """Return the fields of a page in the resource list."""
    return page.path, page.title, page.description
