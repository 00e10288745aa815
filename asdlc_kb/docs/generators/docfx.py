"""Reader of the configuration of docfx, with the tables of contents in its folders."""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import (
    find_part,
    to_fields,
    to_items,
    to_text,
    to_texts,
)
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.menus import Entry, build_menu
from asdlc_kb.docs.generators.stated_patterns import Contents, read_content_globs
from asdlc_kb.markup.nested_lists import MenuItem

PUBLISHED: Final = ".openpublishing.publish.config.json"
"""The file of a repository of Microsoft Learn that names the folders of its sites."""

MAX_FOLDERS: Final = 5_000
"""Folders that are searched for tables of contents."""

MAX_ABOVE: Final = 4
"""Folders above the configuration in which the file of the repository is looked up."""

_LEARN: Final = "https://learn.microsoft.com"
_TABLES: Final = ("toc.yml", "TOC.yml")
_FOLDER: Final = "\0folder"
"""The key of an entry's folder, which no file has."""
_BUILT: Final = frozenset({"node_modules", "_site", "obj", "bin"})
_PAGES: Final = (".md", "*", "}", "*.yml")
"""Ends of globs that may be for pages."""
_STARS: Final = re.compile(r"(?:(?<=[/{,])|\A)\*{2,}(?=[^/*,}])")
"""Two stars at the beginning of a name, as in `**.md`."""


def read_docfx(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration in `docfx.json`; None for one without pages."""
    if path.name == PUBLISHED:
        found = _find_published(path, files)
        return read_docfx(found, files) if found is not None else None
    build = to_fields(find_part(files.read_json(path), "build"))
    files.require(path)
    stated = to_items(build.get("content"))
    groups = [to_fields({"files": g} if isinstance(g, str) else g) for g in stated]
    groups = [group for group in groups if _may_have_pages(group)]
    if not groups:
        return None
    folders = [os.path.abspath(path.parent / to_text(g.get("src"))) for g in groups]
    root = Path(os.path.commonpath(folders))
    metadata = build.get("globalMetadata")
    names = (to_text(find_part(metadata, key)) for key in ("_appTitle", "_appName"))
    return TreeConfiguration(
        generator="docfx",
        root=root,
        dialect="docfx",
        title=next(filter(None, names), ""),
        site_url=to_text(find_part(build, "sitemap", "baseUrl")),
        route="~/",
        values={"docfx.host": _LEARN} if _is_published(path, files) else {},
        navigation=_Tables(root, files).build(),
        excluded=tuple(read_content_globs(path, _list_contents(root, folders, groups))),
    )


def _may_have_pages(group: Mapping[str, Data]) -> bool:
    return any(each.endswith(_PAGES) for each in to_texts(group.get("files")))


def _is_published(path: Path, files: ConfigurationFiles) -> bool:
    """Whether links from the root lead to other parts of Microsoft Learn."""
    found = (files.find(folder, PUBLISHED) for folder in path.parents[:MAX_ABOVE])
    own = next((each for each in found if each and files.is_below(each)), None)
    return own is not None and files.read_text(own) is not None


def _find_published(path: Path, files: ConfigurationFiles) -> Path | None:
    """Return the configuration of the first site that a repository publishes."""
    sites = to_items(to_fields(files.read_json(path)).get("docsets_to_publish"))
    folders = (to_text(find_part(site, "build_source_folder")) for site in sites)
    found = (files.find(path.parent / folder, "docfx.json") for folder in folders)
    return next(filter(None, found), None)


def _list_contents(
    root: Path, folders: Sequence[str], groups: Sequence[Mapping[str, Data]]
) -> Iterator[Contents]:
    """Yield the folder of each group below the root, and its globs."""
    for folder, group in zip(folders, groups, strict=True):
        lead = Path(folder).relative_to(root).as_posix()
        lead = "" if lead == "." else f"{lead}/"
        included = map(_include_sources, _read_globs(group.get("files")))
        yield Contents(lead, tuple(included), tuple(_read_globs(group.get("exclude"))))


def _read_globs(stated: Data) -> Iterator[str]:
    """Yield globs with `**/*.md` for `**.md`, which means the same."""
    return (_STARS.sub("**/*", glob) for glob in to_texts(stated))


def _include_sources(glob: str) -> str:
    """Return a glob of YAML for the pages too from which Microsoft Learn makes it."""
    return f"{glob[:-3]}{{md,yml}}" if glob.endswith("*.yml") else glob


class _Tables:
    """The tables of contents of a tree."""

    def __init__(self, root: Path, files: ConfigurationFiles) -> None:
        self._root = root
        self._files = files
        self._read: set[Path] = set()

    def build(self) -> tuple[MenuItem, ...]:
        """Return the entries of the table in the root with those that it names.

        Those of the other tables follow.
        """
        menus = (build_menu(self._list(p), self._read_entry) for p in self._find())
        return tuple(item for menu in menus for item in menu.items)

    def _find(self) -> Iterator[Path]:
        if not self._files.is_below(self._root):
            return
        for count, (where, folders, names) in enumerate(os.walk(self._root)):
            if count >= MAX_FOLDERS:
                return
            folders[:] = sorted(f for f in folders if f[0] != "." and f not in _BUILT)
            yield from (Path(where, name) for name in _TABLES if name in names)

    def _list(self, path: Path) -> "list[Data]":
        """Return the entries of a table, each with its folder; none a second time."""
        if path in self._read:
            return []
        self._read.add(path)
        value = self._files.read_yaml(path)
        folder = path.parent.relative_to(self._root).as_posix()
        return _place(
            value if isinstance(value, list) else find_part(value, "items"), folder
        )

    def _read_entry(self, item: Data) -> Entry | None:
        fields = to_fields(item)
        folder = to_text(fields.get(_FOLDER))
        title, href = to_text(fields.get("name")), to_text(fields.get("href"))
        below = _place(fields.get("items"), folder)
        page = _resolve(folder, href)
        is_table = page.endswith(_TABLES)
        if is_table or href.endswith("/"):
            where = self._root / page
            where = where.parent if is_table else where
            table = self._files.find(where, *_TABLES)
            below = [*(self._list(table) if table is not None else ()), *below]
            own = to_text(fields.get("topicHref") or fields.get("homepage"))
            page = _resolve(folder, own)
        return Entry(title, page, below)


def _place(items: Data, folder: str) -> "list[Data]":
    """Return the entries of a list, each with the folder of its table."""
    return [
        {**each, _FOLDER: folder} for each in to_items(items) if isinstance(each, dict)
    ]


def _resolve(folder: str, href: str) -> str:
    """Return an address from the root; empty for one of another site."""
    path = href.partition("?")[0].partition("#")[0]
    if not path or path.startswith("/") or "://" in path:
        return ""
    base = "" if path.startswith("~/") else folder
    found = posixpath.normpath(posixpath.join(base, path.removeprefix("~/")))
    return "" if found.startswith("..") else found
