"""MCP notifications for changes of the visible documentation.

A hidden page that is added, changed or removed causes none.
"""

from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.links.written_names import page_uri
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    ResourcesChanged,
    ResourceUpdated,
    ToolsChanged,
)


def list_events(before: DocCatalog, after: DocCatalog) -> list[Event]:
    """Return the events for the change from one catalog to the next."""
    events: list[Event] = []
    if _list_choices(before) != _list_choices(after):
        events.append(ToolsChanged())
    old, new = before.by_path, after.by_path
    edited = after.find_edited(before)
    changed = [
        (path, old[path], following)
        for path in (old if edited is None else sorted(edited))
        if (following := new.get(path)) is not old[path]
    ]
    if len(old) != len(new) or any(
        following is None or _listed(page) != _listed(following)
        for _, page, following in changed
    ):
        events.append(ResourcesChanged())
    for path, page, following in changed:
        if following is None or following.text != page.text:
            events.append(ResourceUpdated(page_uri(path)))
    # At the start there may be 100,000 pages, and no client has read any.
    if before.generation and edited is None:
        added = new.keys() - old.keys()
        events.extend(ResourceUpdated(page_uri(path)) for path in sorted(added))
    return events


def _list_choices(catalog: DocCatalog) -> tuple[tuple[str, ...], ...]:
    """Return what the schemas of the tools enumerate."""
    return catalog.sources, catalog.versions, catalog.languages


def _listed(page: DocPage) -> tuple[str, str, str]:
    """Return the fields of a page in the resource list."""
    return page.path, page.title, page.description
