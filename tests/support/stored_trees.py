"""Sources copied as a store has them, and what readers see of a collection."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from asdlc_kb.app import ConfiguredSources, open_sources
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.navigation.sidebar import SidebarItem
from asdlc_kb.ingestion.source_files import SourceFiles, find_files
from asdlc_kb.markup.link_scanner import find_links
from asdlc_kb.settings import Settings


def load(settings: Settings) -> ConfiguredSources:
    """Return the sources of some settings, loaded."""
    sources = open_sources(settings)
    for source in sources.corpus:
        source.load()
    return sources


def find_stored(settings: Settings, name: str) -> SourceFiles:
    """Return the files of a source that would be stored."""
    return find_files(settings, load(settings), name, {})


def copy_visible(files: SourceFiles, target: Path) -> Path:
    """Write what readers of the store get; return the folder to serve."""
    for record in files.records.values():
        if not record.is_hidden:
            path = target / record.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files.read(record.path))
            os.utime(path, ns=(record.mtime_ns, record.mtime_ns))
    return target / files.record.options.get("folder", ".")


def read_settings(files: SourceFiles, folder: Path) -> Settings:
    """Return the settings that serve a copy."""
    options = files.record.options
    name = options.get("tree", "")
    return Settings(
        docs=(f"{name}={folder}" if name else str(folder),),
        dialect=tuple(filter(None, (options.get("dialect"),))),
        language=tuple(filter(None, (options.get("language"),))),
    )


def describe(docs: DocCollection | None) -> dict[str, Any]:
    """Return everything of a collection that readers see."""
    assert docs is not None
    catalog = docs.catalog
    files = docs.open_files(catalog)
    pages = catalog.by_path.values()
    return {
        "title": docs.title,
        "recognized": [tree.library.configuration.generator for tree in docs.trees],
        "prefixes": [tree.mount.prefix for tree in docs.trees],
        "editions": [
            tree.library.configuration.editions.describe() for tree in docs.trees
        ],
        "pages": [
            (
                *(page.path, page.title, page.description, page.tags, page.aliases),
                *(
                    page.text,
                    page.html_text,
                    page.placement,
                    page.edition,
                    page.updated,
                ),
                *(page.file_date, page.dialect),
            )
            for page in pages
        ],
        "sidebar": list(_outline(catalog.sidebar)),
        "links": list(_list_links(catalog)),
        "attachments": sorted(n for n in files.names if files.find(n) is not None),
    }


def _outline(items: Iterable[SidebarItem], depth: int = 0) -> Iterable[tuple[Any, ...]]:
    for item in items:
        yield depth, item.title, item.path, item.anchor, item.href
        yield from _outline(item.below, depth + 1)


def _list_links(catalog: DocCatalog) -> Iterable[tuple[Any, ...]]:
    for page in catalog.by_path.values():
        for href in find_links(page.body):
            yield page.path, href, catalog.resolve(href, page.path)
