"""The Markdown files of a tree of folders, as the disk has them now.

What begins with a dot, and folders of installed packages and caches, are passed over. A
link is followed when it stays among what is served. A file is listed by each of its
names; a folder once: where it is, or else under the first link to it in path order. So
there are no loops.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.article_listing import (
    COPY,
    Listing,
    NameRule,
    check_folder,
    find_signature,
    report_too_many,
    report_unlisted,
    usable_names,
)
from asdlc_kb.files.paths import NameFilter, is_free_name, refusal_reason
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.signature import Signature

SUFFIXES: Final = (".md", ".markdown", ".mdx")
"""Of Markdown files, in the order in which a name without one is looked up."""

MAX_DEPTH: Final = 32
"""Folders below one another; what lies deeper is not served."""

MAX_FILES: Final = 100_000
"""Files of one tree; more are not served."""

MAX_FOLDERS: Final = 20_000
"""Folders of one tree that are looked into."""

MAX_WATCHED: Final = 8_000
"""Folders of one tree that are watched: a kernel grants 8,192 watches at least."""

INSTALLED: Final = frozenset(
    {
        *("node_modules", "bower_components", "jspm_packages"),
        *("__pycache__", "site-packages", "CVS"),
    }
)
"""Folders that package managers and other programs fill, whatever is in them."""

MARKS: Final = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
"""A folder with such a file says of itself that a program made it: a cache
(https://bford.info/cachedir/), a virtual environment."""

_NAMES: Final = NameRule(
    is_free_name, "use no control or invisible character and no backslash"
)


def is_markdown(name: str) -> bool:
    """Whether a file's name says that it is Markdown; case does not matter."""
    return name.endswith(SUFFIXES) or name.lower().endswith(SUFFIXES)


def check_page_path(path: str) -> UnreadableFile | None:
    """Refuse the real path of a page that is hidden, installed or no Markdown."""
    refused = check_tree_folder(path)
    if refused is None and not is_markdown(path):
        refused = UnreadableFile("the link leads to no Markdown file", COPY)
    return refused


def check_tree_folder(path: str) -> UnreadableFile | None:
    """Refuse the real path of a folder of a tree that is hidden or installed."""
    if INSTALLED.isdisjoint(path.split(os.sep)):
        return check_folder(path)
    return UnreadableFile("the link leads to installed packages", COPY)


def is_tree_path(path: str) -> bool:
    """Whether a file of this path, relative and with slashes, may be served."""
    *folders, name = path.split("/")
    return (
        len(folders) <= MAX_DEPTH
        and all(is_free_name(part) for part in (*folders, name))
        and INSTALLED.isdisjoint(folders)
        and is_markdown(name)
    )


def list_tree(root: Path) -> Listing:
    """List the Markdown files at any depth below `root`.

    Raises OSError when the root itself cannot be listed.
    """
    walk = _TreeWalk(root)
    listing = walk.listing
    files = listing.files
    for folder in walk.run():
        for entry in folder.files:
            if len(files) >= MAX_FILES:
                report_too_many(folder.path or ".", MAX_FILES, listing)
                return listing
            path = folder.name(entry)
            if entry.is_symlink() and not walk.may_follow(path, check_page_path):
                continue
            signature = find_signature(entry.path, path, listing)
            if signature is not None:
                files[path] = signature
    return listing


def find_tree_folders(root: Path) -> Mapping[str, tuple[int, int]]:
    """Return a tree's folders, by path, with device and inode: those to be watched.

    Empty if there is no root.
    """
    folders: dict[str, tuple[int, int]] = {}
    try:
        for folder in _TreeWalk(root).run():
            folders[str(root / folder.path)] = folder.identity
            if len(folders) >= MAX_WATCHED:
                break
    except OSError:
        return {}
    return folders


@dataclass(frozen=True, slots=True)
class _ListedFolder:
    """A folder that was looked into."""

    path: str
    """Relative to the root; empty for the root."""
    identity: tuple[int, int]
    files: tuple[os.DirEntry[str], ...]
    """Markdown files, and links that are named like some."""
    folders: tuple[str, ...]
    links: tuple[str, ...]
    """Links to folders."""

    def name(self, entry: os.DirEntry[str]) -> str:
        """Return the path of an entry, relative to the root."""
        return f"{self.path}/{entry.name}" if self.path else entry.name


class _TreeWalk:
    """One walk through a tree: its own folders first, then those behind links."""

    def __init__(self, root: Path) -> None:
        self.listing = Listing()
        self._root = root
        self._seen: set[tuple[int, int]] = set()

    def run(self) -> Iterator[_ListedFolder]:
        """Yield each folder once; raise OSError if the root cannot be listed."""
        links: list[str] = []
        yield from self._descend("", links)
        while links:
            links.sort(reverse=True)
            path = links.pop()
            if self.may_follow(path, check_tree_folder):
                yield from self._descend(path, links)

    def may_follow(self, path: str, judge: NameFilter) -> bool:
        """Whether a link leads to where files are served from; report it if not."""
        refused = refusal_reason(self._root, path, judge)
        if refused is not None:
            self._report(path, str(refused))
        return refused is None

    def _descend(self, path: str, links: list[str]) -> Iterator[_ListedFolder]:
        waiting = [path]
        while waiting:
            path = waiting.pop()
            if len(self._seen) >= MAX_FOLDERS:
                message = f"more than {MAX_FOLDERS:,} folders: the rest is not served"
                self._report(path, message)
                return
            folder = self._look_into(path)
            if folder is None:
                continue
            yield folder
            below = f"{path}/" if path else ""
            if path.count("/") + 1 >= MAX_DEPTH and (folder.folders or folder.links):
                message = f"folders more than {MAX_DEPTH} deep are not served"
                self._report(path, message)
                continue
            waiting.extend(f"{below}{name}" for name in reversed(folder.folders))
            links.extend(f"{below}{name}" for name in folder.links)

    def _look_into(self, path: str) -> _ListedFolder | None:
        """Return what a folder has, or None if it is not served or seen already."""
        where = os.path.join(self._root, path)
        try:
            status = os.stat(where)
            identity = status.st_dev, status.st_ino
            if identity in self._seen:
                return None
            with os.scandir(where) as entries:
                found = list(entries)
        except OSError as error:
            if not path:
                raise
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                report_unlisted(path, error, self.listing)
            return None
        self._seen.add(identity)
        self.listing.folders[path] = Signature.of(status)
        if path and not MARKS.isdisjoint(entry.name for entry in found):
            return None
        return self._sort(path, identity, found)

    def _sort(
        self, path: str, identity: tuple[int, int], found: Iterable[os.DirEntry[str]]
    ) -> _ListedFolder:
        kinds: dict[str, str] = {}
        entries: dict[str, os.DirEntry[str]] = {}
        for entry in found:
            kind = _kind(entry)
            if kind:
                kinds[entry.name] = kind
                entries[entry.name] = entry
        prefix = f"{path}/" if path else ""
        served = usable_names(kinds, _NAMES, self.listing, prefix)
        return _ListedFolder(
            path,
            identity,
            tuple(entries[name] for name in served if kinds[name] == "file"),
            tuple(name for name in served if kinds[name] == "folder"),
            tuple(name for name in served if kinds[name] == "link"),
        )

    def _report(self, path: str, message: str) -> None:
        self.listing.problems.append(Problem(path, 1, 1, "KB001", message))


def _kind(entry: os.DirEntry[str]) -> str:
    """Return whether an entry is a Markdown file, a folder, a link to one, or none."""
    if not _is_served(entry.name):
        return ""
    try:
        if entry.is_dir():
            return "link" if entry.is_symlink() else "folder"
    except OSError:
        # A link in a circle, or to where nobody may look: a file, if it is called so.
        pass
    return "file" if is_markdown(entry.name) else ""


def _is_served(name: str) -> bool:
    """Whether files of this name, or in folders of this name, are served at all."""
    return not name.startswith(".") and name not in INSTALLED
