"""Watchers of the configured folders."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.files.live_library import LiveLibrary
from asdlc_kb.files.watcher import Folders, Watcher, find_folders
from asdlc_kb.settings import Settings


def watch_folders(
    settings: Settings, sources: ConfiguredSources
) -> Iterator[Watcher[Any]]:
    """Yield the watcher of each library."""
    if sources.articles is not None:
        yield _watch(settings, sources.articles, find_folders)
    if sources.docs is not None:
        # Imported late: a server of articles needs none of it.
        from asdlc_kb.files.tree_listing import find_tree_folders

        for tree in sources.trees:
            yield _watch(settings, tree.library, find_tree_folders)


def _watch(
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
