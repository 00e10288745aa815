"""Watchers of the served folders, and the events of changes in sources."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.files.live_library import LiveLibrary
from asdlc_kb.files.watcher import Folders, Watcher, find_folders
from asdlc_kb.mcp.subscriptions.events import Event
from asdlc_kb.mcp.subscriptions.subscription_bus import EventPublisher
from asdlc_kb.providers.articles.events import list_events
from asdlc_kb.settings import Settings


def publish_sources(
    sources: ConfiguredSources, publisher: EventPublisher
) -> Iterator[Callable[[], None]]:
    """Publish later changes of the sources to clients; yield what ends that."""
    if (articles := sources.articles) is not None:
        yield articles.listen(
            lambda before, after: partial(publisher.publish, list_events(before, after))
        )
    if (docs := sources.docs) is not None:
        from asdlc_kb.providers.docs.events import list_events as list_doc_events

        yield docs.listen(
            lambda before, after: partial(
                publisher.publish, list_doc_events(before, after)
            )
        )


def compare_sources(
    before: ConfiguredSources, after: ConfiguredSources
) -> Iterator[Event]:
    """Yield the events of content that differs between two openings of the sources."""
    if before.articles is not None and after.articles is not None:
        yield from list_events(before.articles.catalog, after.articles.catalog)
    if before.docs is not None and after.docs is not None:
        from asdlc_kb.providers.docs.events import list_events as list_doc_events

        yield from list_doc_events(before.docs.catalog, after.docs.catalog)


def watch_folders(
    settings: Settings, sources: ConfiguredSources
) -> Iterator[Watcher[Any]]:
    """Yield the watcher of each folder."""
    if sources.articles is not None:
        yield _follow_files(settings, sources.articles, find_folders)
    if sources.docs is not None:
        from asdlc_kb.files.tree_listing import find_tree_folders

        for tree in sources.trees:
            yield _follow_files(settings, tree.library, find_tree_folders)


def _follow_files(
    settings: Settings,
    library: LiveLibrary[Any, Any],
    find: Callable[[Path], Folders],
) -> Watcher[Any]:
    return Watcher(
        library.root,
        library.scan,
        library.publish,
        events=not settings.poll,
        find=find,
        scan_unfinished=library.scan_unfinished,
        refresh=library.refresh_changed,
        check=library.check,
    )
