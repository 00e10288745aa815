"""Listing of the Markdown files of a folder tree.

Dot names and folders of installed packages and caches are skipped. A link is followed
if its target may be served. A file or folder is listed once: at its own path, or else
under the first link to it in path order. So loops are impossible. Other links to it are
listed as names of that path; hard links are separate files.
"""

import os
import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.folder_walk import (
    FOLDER,
    LINK,
    ListedFolder,
    join_below,
    walk_folders,
)
from asdlc_kb.files.inotify import MAX_WATCHES
from asdlc_kb.files.listing import COPY_ADVICE, Listing, NameRule
from asdlc_kb.files.paths import NameFilter, is_free_name, refusal_reason
from asdlc_kb.files.seen_entries import SeenEntries
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_names import (
    INSTALLED,
    MARKS,
    MAX_DEPTH,
    PAGE_SUFFIXES,
    check_tree_folder,
)

MAX_FOLDERS: Final = 20_000
"""Folders listed of one tree."""

_NAMES: Final = NameRule(
    is_free_name, "use no control or invisible character and no backslash"
)


def is_markdown(name: str) -> bool:
    """Whether a file name has a Markdown suffix, in any case."""
    return name.endswith(PAGE_SUFFIXES) or name.lower().endswith(PAGE_SUFFIXES)


def check_page_path(path: str) -> UnreadableFile | None:
    """Return why a page's real path is refused: hidden, installed, not Markdown."""
    refusal = check_tree_folder(path)
    if refusal is None and not is_markdown(path):
        refusal = UnreadableFile(
            "the link does not point to a Markdown file", COPY_ADVICE
        )
    return refusal


def is_tree_path(path: str) -> bool:
    """Whether a file at this relative path, with slashes, may be served."""
    *folders, name = path.split("/")
    return (
        len(folders) <= MAX_DEPTH
        and all(is_free_name(part) for part in (*folders, name))
        and INSTALLED.isdisjoint(folders)
        and is_markdown(name)
    )


def list_tree(
    root: Path,
    separate: Container[str] = (),
    leaves_out: Callable[[str], bool] = lambda path: False,
    max_files: int = sys.maxsize,
) -> Listing:
    """List the Markdown files at any depth below `root`, up to a number of them.

    A link at a path in `separate` is listed as a file. Paths that are left out are not
    listed; that of a folder ends with a slash. Raises OSError if the root itself cannot
    be listed.
    """
    walk = _TreeWalk(root, leaves_out)
    listing = walk.listing
    files, linked = listing.files, dict[str, Signature]()
    for path, entry in walk.find_files():
        if len(files) + len(linked) >= max_files:
            listing.report_too_many(path.rpartition("/")[0] or ".", max_files)
            break
        is_link = entry.is_symlink()
        if is_link and not walk.may_follow(path, check_page_path):
            continue
        signature = listing.find_signature(entry.path, path)
        if signature is not None:
            (linked if is_link and path not in separate else files)[path] = signature
    if linked:
        _merge_links(root, linked, listing)
    return listing


def _merge_links(root: Path, linked: Mapping[str, Signature], listing: Listing) -> None:
    """List links to files: as names of a listed file, or else as the file itself."""
    files, real_root = listing.files, os.path.realpath(root)
    own: dict[tuple[int, int], str] = {}
    for path, signature in files.items():
        own.setdefault(signature.identity, path)
    for path, signature in sorted(linked.items()):
        # The real path is decisive: an inode may be replaced during the scan. But a
        # file that is listed below a linked folder is not at its real path.
        real = os.path.relpath(os.path.realpath(root / path), real_root)
        if real not in files:
            real = own.setdefault(signature.identity, path)
        if real == path:
            files[path] = signature
        else:
            listing.links[path] = real


def find_markdown(
    root: Path, accepts: Callable[[str], bool], limit: int
) -> Sequence[str]:
    """Return the accepted paths of Markdown files, up to `limit` of them.

    Nothing if the root cannot be listed. Blocks: it lists every folder.
    """
    try:
        found = (path for path, _ in _TreeWalk(root).find_files() if accepts(path))
        return [*islice(found, limit)]
    except OSError:
        return ()


def find_tree_folders(root: Path) -> Mapping[str, tuple[int, int]]:
    """Return the folders of a tree to watch, by path, with device and inode.

    Empty if there is no root.
    """
    folders: dict[str, tuple[int, int]] = {}
    try:
        walk = _TreeWalk(root)
        for path, _ in walk.run():
            folders[str(root / path)] = walk.listing.folders[path].identity
            if len(folders) >= MAX_WATCHES:
                break
    except OSError:
        return {}
    return folders


_END: Final = {FOLDER: "/", LINK: "/"}
"""The end of the path of a folder, by its kind."""

_TreeFolder: TypeAlias = ListedFolder[os.DirEntry[str]]
"""Its files are Markdown files, and links with a Markdown suffix."""


class _TreeWalk:
    """A walk of a tree: real folders first, then those behind links."""

    def __init__(
        self, root: Path, leaves_out: Callable[[str], bool] = lambda path: False
    ) -> None:
        self.listing = Listing(seen=SeenEntries(_can_matter))
        self._root = root
        self._leaves_out = leaves_out
        self._visited: dict[tuple[int, int], str] = {}
        """The path of each listed folder by its device and inode."""

    def run(self) -> Iterator[tuple[str, _TreeFolder]]:
        """Yield each folder once; raise OSError if the root cannot be listed."""
        return walk_folders(
            self._read_folder,
            self._report_limit,
            max_depth=MAX_DEPTH,
            max_folders=MAX_FOLDERS,
            is_breadth_first=False,
            follows=lambda link: self.may_follow(link, check_tree_folder),
        )

    def find_files(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield each Markdown file with its path; raise OSError as `run` does."""
        for above, folder in self.run():
            for entry in folder.files:
                yield join_below(above, entry.name), entry

    def may_follow(self, path: str, judge: NameFilter) -> bool:
        """Whether the target of a link may be served; report it if not."""
        refusal = refusal_reason(self._root, path, judge)
        if refusal is not None:
            self.listing.report(path, str(refusal))
        return refusal is None

    def _report_limit(self, path: str, folder: _TreeFolder | None) -> None:
        message = (
            f"folders more than {MAX_DEPTH} deep are not served"
            if folder
            else f"more than {MAX_FOLDERS:,} folders: the rest are not served"
        )
        self.listing.report(path, message)

    def _read_folder(self, path: str) -> _TreeFolder | None:
        """List a folder; return None if it is not served or was visited before."""
        location = os.path.join(self._root, path)
        try:
            status = os.stat(location)
            identity = status.st_dev, status.st_ino
            if identity in self._visited:
                self.listing.links[path] = self._visited[identity]
                return None
            with os.scandir(location) as entries:
                children = list(entries)
        except OSError as error:
            if not path:
                raise
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                self.listing.report_unlisted(path, error)
            return None
        self._visited[identity] = path
        self.listing.folders[path] = Signature.of(status)
        self.listing.seen.add(path, location, children)
        if path and not MARKS.isdisjoint(entry.name for entry in children):
            return None
        below = {entry.name: (entry, _classify(entry)) for entry in children}
        prefix = f"{path}/" if path else ""
        names = (
            name
            for name, (_, kind) in below.items()
            if kind and not self._leaves_out(f"{prefix}{name}{_END.get(kind, '')}")
        )
        served = self.listing.select_names(names, _NAMES, prefix)
        return ListedFolder.of(
            (name, below[name][1], below[name][0]) for name in served
        )


def _can_matter(name: str) -> bool:
    """Whether a file of this name is listed, or decides about its folder."""
    return name in MARKS or is_markdown(name)


def _classify(entry: os.DirEntry[str]) -> str:
    """Return FOLDER, LINK, "file", or "" for an entry that is not served."""
    if entry.name.startswith(".") or entry.name in INSTALLED:
        return ""
    try:
        if entry.is_dir():
            return LINK if entry.is_symlink() else FOLDER
    except OSError:
        # A link loop, or an inaccessible target: a file if it has the suffix.
        pass
    return "file" if is_markdown(entry.name) else ""
