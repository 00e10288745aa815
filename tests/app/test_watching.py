"""Watchers of the folders that are served."""

from support.knowledge import KnowledgeBase

from asdlc_kb.app.sources import open_sources
from asdlc_kb.app.watching import watch_folders
from asdlc_kb.settings import MEMORY, Settings


def test_each_folder_has_a_watcher(knowledge: KnowledgeBase) -> None:
    """Articles, and each tree of documentation."""
    root = str(knowledge.root)
    trees = (f"a={root}", f"b={root}")
    settings = Settings(content=root, docs=trees, cache_dir=MEMORY)
    assert len([*watch_folders(settings, open_sources(settings))]) == 3
