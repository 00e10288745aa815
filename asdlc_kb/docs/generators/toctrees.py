"""The navigation of Sphinx: directives `toctree` in pages, from the first page on."""

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.menus import MAX_ENTRIES, MAX_LEVELS
from asdlc_kb.markup.nested_lists import MenuItem

SUFFIXES: Final = (".md", ".rst")
"""Suffixes of pages that can have a `toctree`."""

MAX_COMPARED: Final = 1_000_000
"""Names of files that are compared with patterns; further ones are left out."""

_DIRECTIVE: Final = re.compile(
    r"(?P<indent>[ \t]*)(?:(?P<mark>`{3,}|:{3,}|~{3,})[ ]?\{toctree\}"
    r"|\.\.[ ]+toctree::).*"
)
_OPTION: Final = re.compile(r":([\w-]+):[ ]*(.*)")
_YAML: Final = re.compile(r"([\w-]+):[ ]*(.*)")
_TITLED: Final = re.compile(r"(?P<title>.*\S)\s*<(?P<target>[^<>]+)>\Z")
_WILDCARD: Final = re.compile(r"[*?\[]")


class _Toctree(NamedTuple):
    caption: str
    is_glob: bool
    entries: list[str]


class Toctrees:
    """Reads the navigation of one tree."""

    def __init__(self, root: Path, files: ConfigurationFiles) -> None:
        self._root = root
        self._files = files
        self._seen: set[str] = set()
        self._compared = 0

    def read(self, name: str) -> tuple[MenuItem, ...]:
        """Return the entries below a page, which is the first one."""
        self._seen.add(name)
        first = self._find(name)
        own = (MenuItem("", first),) if first.endswith(".md") else ()
        return (*own, *self._list(first, 1))

    def _list(self, page: str, level: int) -> Iterator[MenuItem]:
        """Yield the entries of all trees in a page."""
        text = self._files.read_text(self._root / page) if page else None
        if text is None or "toctree" not in text:
            return
        for tree in _find_toctrees(text):
            items = tuple(self._list_entries(tree, page, level))
            if tree.caption:
                yield MenuItem(tree.caption, "", items)
            else:
                yield from items

    def _list_entries(
        self, tree: _Toctree, page: str, level: int
    ) -> Iterator[MenuItem]:
        folder = PurePosixPath(page).parent
        for entry in tree.entries:
            titled = _TITLED.match(entry)
            title, target = (
                (titled["title"], titled["target"]) if titled else ("", entry)
            )
            if "://" in target:
                yield MenuItem(title, target)
                continue
            if target == "self":
                yield MenuItem(title, page)
                continue
            path = _join(folder, target)
            if not (tree.is_glob and _WILDCARD.search(path)):
                yield from self._read_page(title, path, level)
                continue
            for name in self._expand(path):
                yield from self._read_page("", name, level)

    def _read_page(self, title: str, name: str, level: int) -> Iterator[MenuItem]:
        """Yield the entry of a page, with those below it; none a second time."""
        page = self._find(name)
        stem = page.rpartition(".")[0] or name
        if stem in self._seen or level > MAX_LEVELS or len(self._seen) > MAX_ENTRIES:
            return
        self._seen.add(stem)
        yield MenuItem(title, page or name, tuple(self._list(page, level + 1)))

    def _find(self, name: str) -> str:
        """Return the file of a page; empty without one."""
        names = (name, *(f"{name}{suffix}" for suffix in SUFFIXES))
        return next(
            (n for n in names if n.endswith(SUFFIXES) and (self._root / n).is_file()),
            "",
        )

    def _expand(self, pattern: str) -> Iterator[str]:
        """Yield the pages in one folder that a pattern matches, in order."""
        folder, _, name = pattern.rpartition("/")
        where = self._root / folder
        if _WILDCARD.search(folder) or not where.is_dir():
            return
        for path in sorted(where.iterdir()):
            self._compared += 1
            if self._compared > MAX_COMPARED:
                return
            if path.suffix in SUFFIXES and fnmatch.fnmatchcase(path.stem, name):
                yield f"{folder}/{path.name}" if folder else path.name


def _join(folder: PurePosixPath, target: str) -> str:
    """Return the path of a page from the root; one above it has none."""
    parts = [] if target.startswith("/") else [p for p in folder.parts if p != "."]
    for part in target.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _find_toctrees(text: str) -> Iterator[_Toctree]:
    """Yield the directives in a text; in linear time, as each line is read once."""
    lines = iter(text.split("\n"))
    line = next(lines, None)
    while line is not None:
        found = _DIRECTIVE.fullmatch(line)
        line = next(lines, None)
        if found is None:
            continue
        options: dict[str, str] = {}
        entries: list[str] = []
        pattern = _OPTION
        while line is not None and not _is_end(line, found):
            bare = line.strip()
            if bare == "---":
                pattern = _YAML if pattern is _OPTION else _OPTION
            elif option := pattern.fullmatch(bare):
                options[option[1]] = option[2]
            elif bare:
                entries.append(bare)
            line = next(lines, None)
        yield _Toctree(options.get("caption", ""), "glob" in options, entries)


def _is_end(line: str, directive: re.Match[str]) -> bool:
    """Whether a line closes a directive of Markdown, or is behind one of reST."""
    bare, mark = line.strip(), directive["mark"]
    if mark is None:
        indent = len(line) - len(line.lstrip())
        return bool(bare) and indent <= len(directive["indent"])
    return bare.startswith(mark) and not bare.strip(mark[0])
