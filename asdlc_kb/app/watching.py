"""Watchers of the served folders, and the events of changes in sources."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.files.live_library import LiveLibrary
from asdlc_kb.files.watcher import Folders, Watcher, find_folders
from asdlc_kb.mcp.subscriptions.subscription_bus import EventPublisher
from asdlc_kb.providers.articles.events import publish_changes
from asdlc_kb.settings import Settings


def publish_sources(
    sources: ConfiguredSources, publisher: EventPublisher
) -> Iterator[Callable[[], None]]:
    """Publish later changes of the sources to clients; yield what ends that."""
    if (articles := sources.articles) is not None:
        yield articles.listen(
            lambda before, after: partial(
                publisher.publish, publish_changes(before, after)
            )
        )
    if (docs := sources.docs) is not None:
        from asdlc_kb.providers.docs.events import (
            publish_changes as publish_doc_changes,
        )

        yield docs.listen(
            lambda before, after: partial(
                publisher.publish, publish_doc_changes(before, after)
            )
        )


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
