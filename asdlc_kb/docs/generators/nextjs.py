"""Reader of sites of Next.js with MDX: Nextra, Fumadocs and sites of their own kind."""

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from asdlc_kb.docs.generators.configuration import BELOW, TreeConfiguration
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.data import to_fields, to_items, to_text
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.generators.menus import MAX_ENTRIES, MAX_LEVELS
from asdlc_kb.files.tree_names import PAGE_SUFFIXES
from asdlc_kb.markup.nested_lists import MenuItem

T = TypeVar("T")

MAX_FOLDERS: Final = 200
"""Folders in which the first page is searched."""

_MDX: Final = ("nextra", "fumadocs", "mdx", "contentlayer")
"""Parts of the names of packages that read MDX."""

_FUMADOCS: Final = ("content/docs", "src/content/docs")
_ROOTS: Final = ("src/content", "content", "src/pages", "pages")
_TITLED: Final = re.compile(r"-{3}(?P<title>.*?)-{3}\Z")
_LINK: Final = re.compile(
    r"(?:external:)?(?:\[[^\[\]]*\])?\[(?P<title>[^\[\]]+)\]\((?P<href>[^()\s]+)\)"
)
_SCRIPTS: Final = tuple(
    f"_meta.{suffix}" for suffix in ("js", "ts", "jsx", "tsx", "mjs")
)


def read_nextjs(path: Path, files: ConfigurationFiles) -> TreeConfiguration | None:
    """Return the configuration of a site; None for a program without MDX."""
    package = files.find(path.parent, "package.json")
    stated = files.read_text(package) if package is not None else None
    if stated is None or not any(name in stated for name in _MDX):
        return None
    is_fumadocs = "fumadocs" in stated
    folders = (path.parent / name for name in (*(_FUMADOCS * is_fumadocs), *_ROOTS))
    root = next((folder for folder in folders if _has_page(folder)), None)
    if root is None:
        return None
    return TreeConfiguration(
        generator="nextjs",
        root=root,
        dialect="mdx",
        prefixes=("/docs/",) if root.name == "docs" else (),
        navigation=_Menus(root, files).read(),
    )


def _has_page(folder: Path) -> bool:
    for count, (_, _, names) in enumerate(os.walk(folder)):
        if any(name.endswith(PAGE_SUFFIXES) for name in names):
            return True
        if count > MAX_FOLDERS:
            break
    return False


class _Menus:
    """The navigation in the files `meta.json` and `_meta.js` of folders."""

    def __init__(self, root: Path, files: ConfigurationFiles) -> None:
        self._root = root
        self._files = files
        self._has_any = False
        self._count = 0

    def read(self) -> tuple[MenuItem, ...]:
        """Return the navigation; empty without such a file."""
        items = tuple(self._read_folder("", 1))
        return items if self._has_any else ()

    def _read_folder(self, folder: str, level: int) -> Iterator[MenuItem]:
        """Yield the entries of a folder; those that it does not name are last."""
        where = self._root / folder
        rest = MenuItem("", f"{folder}{BELOW}")
        if level > MAX_LEVELS:
            return
        if (path := self._files.find(where, "meta.json")) is not None:
            self._has_any = True
            stated = to_fields(self._files.read_json(path)).get("pages")
            pages = self._take(to_items(stated))
            entries = [self._read_page(folder, page, level) for page in pages]
            yield from _group(entries)
            if not pages:
                yield from self._list_folders(folder, level)
                yield rest
            return
        data = self._read_meta(where)
        if data is not None:
            self._has_any = True
            pairs = self._take([*to_fields(data).items()])
            entries = [
                self._read_entry(folder, key, value, level) for key, value in pairs
            ]
            yield from _group(entries)
            yield rest
            return
        yield from self._list_folders(folder, level)
        yield rest

    def _take(self, items: Sequence[T]) -> Sequence[T]:
        """Return the items for which the navigation has room.

        A folder can be named repeatedly, also by itself.
        """
        taken = items[: MAX_ENTRIES - self._count]
        self._count += len(taken)
        return taken

    def _read_meta(self, where: Path) -> Data:
        """Return what the file of Nextra in a folder exports."""
        if (path := self._files.find(where, "_meta.json")) is not None:
            return self._files.read_json(path)
        path = self._files.find(where, *_SCRIPTS)
        return self._files.read_script(path).exported if path is not None else None

    def _list_folders(self, folder: str, level: int) -> Iterator[MenuItem]:
        """Yield the folders that have files of their own."""
        try:
            names = sorted(os.listdir(self._root / folder))
        except OSError:
            return
        for name in self._take(names):
            below = posixpath.join(folder, name)
            if name[0] not in "._" and (self._root / below).is_dir():
                yield self._read_section(below, "", level)

    def _read_section(self, folder: str, title: str, level: int) -> MenuItem:
        path = self._files.find(self._root / folder, "meta.json")
        own = to_fields(self._files.read_json(path)) if path is not None else {}
        below = tuple(self._read_folder(folder, level + 1))
        return MenuItem(title or to_text(own.get("title")), f"{folder}/", below)

    def _read_page(self, folder: str, page: Data, level: int) -> list[MenuItem]:
        """Read an entry of Fumadocs."""
        name = to_text(page)
        if not name or name.startswith("!"):
            return []
        if titled := _TITLED.match(name):
            return [
                MenuItem(re.sub(r"\A\[\w+\]", "", titled["title"]).strip(), level=1)
            ]
        if link := _LINK.match(name):
            return [MenuItem(link["title"], link["href"])]
        if name in ("...", "z...a"):
            return [MenuItem("", f"{folder}{BELOW}")]
        where = posixpath.normpath(posixpath.join(folder, name.removeprefix("...")))
        if where.startswith(".."):
            return []
        if name.startswith("..."):
            return [*self._read_folder(where, level + 1)]
        if (self._root / where).is_dir():
            return [self._read_section(where, "", level)]
        return [MenuItem("", where)]

    def _read_entry(
        self, folder: str, key: str, value: Data, level: int
    ) -> list[MenuItem]:
        """Read an entry of Nextra."""
        fields = to_fields(value)
        title = to_text(fields.get("title")) if fields else to_text(value)
        if fields.get("type") == "separator":
            return [MenuItem(title, level=1)]
        if fields.get("display") == "hidden" or key == "*":
            return []
        if href := to_text(fields.get("href")):
            return [MenuItem(title, href)]
        where = posixpath.normpath(posixpath.join(folder, key))
        if where.startswith(".."):
            return []
        if (self._root / where).is_dir():
            return [self._read_section(where, title, level)]
        return [MenuItem(title, where)]


def _group(entries: Sequence[Sequence[MenuItem]]) -> Iterator[MenuItem]:
    """Yield entries, those below a separator in a group with its title."""
    title, group = "", list[MenuItem]()
    for item in (item for items in entries for item in items):
        if item.level != 1:
            group.append(item)
            continue
        yield from _close(title, group)
        title, group = item.title, []
    yield from _close(title, group)


def _close(title: str, group: Sequence[MenuItem]) -> Iterator[MenuItem]:
    if title:
        yield MenuItem(title, "", tuple(group))
    else:
        yield from group
