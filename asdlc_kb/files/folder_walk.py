"""Walk through a tree of folders within limits, by the caller's rules.

The caller lists each folder, and decides so which names count, how links are classified
and what an unreadable folder means. Real folders are walked before links to folders.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

FOLDER: Final = "folder"
LINK: Final = "link"
"""The kinds of entries that are walked; a link is one to a folder."""


E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class ListedFolder(Generic[E]):
    """The relevant entries of one folder, in order."""

    files: tuple[E, ...]
    folders: tuple[str, ...]
    """The names of the subfolders to walk."""
    links: tuple[str, ...] = ()
    """The names of the links to folders, to walk later."""

    @classmethod
    def of(cls, entries: Iterable[tuple[str, str, E]]) -> "ListedFolder[E]":
        """Group entries by kind; each is a name, a kind, and a file of another kind."""
        listed = list(entries)
        return cls(
            tuple(file for _, kind, file in listed if kind not in (FOLDER, LINK)),
            tuple(name for name, kind, _ in listed if kind == FOLDER),
            tuple(name for name, kind, _ in listed if kind == LINK),
        )


F = TypeVar("F", bound=ListedFolder[Any])


def walk_folders(
    list_folder: Callable[[str], F | None],
    report_limit: Callable[[str, F | None], None],
    *,
    max_depth: int,
    max_folders: int,
    top: str = "",
    is_breadth_first: bool = True,
    follows: Callable[[str], bool] = lambda link: True,
) -> Iterator[tuple[str, F]]:
    """Yield each folder from `top` down with its path.

    Folders for which `list_folder` returns None are skipped. Breadth first, a limit
    cuts off the deepest folders; otherwise folders, and then links, are in path order.
    `report_limit` is called with a folder at `max_depth` that has subfolders, and with
    the path at which more than `max_folders` end the walk. A link is followed if
    `follows` accepts its path immediately before.
    """
    waiting = deque([(top, 0)])
    links: deque[tuple[str, int]] = deque()
    walked = 0
    while waiting or links:
        if waiting:
            path, depth = waiting.popleft() if is_breadth_first else waiting.pop()
        else:
            links = links if is_breadth_first else deque(sorted(links))
            path, depth = links.popleft()
            if not follows(path):
                continue
        if walked == max_folders:
            report_limit(path, None)
            return
        folder = list_folder(path)
        if folder is None:
            continue
        walked += 1
        yield path, folder
        if depth == max_depth:
            if folder.folders or folder.links:
                report_limit(path, folder)
            continue
        names = folder.folders if is_breadth_first else reversed(folder.folders)
        waiting.extend((join_below(path, name), depth + 1) for name in names)
        links.extend((join_below(path, name), depth + 1) for name in folder.links)


def count_names(path: str) -> int:
    """Return the number of names in a path; none in the empty one."""
    return path.count("/") + 1 if path else 0


def join_below(folder: str, name: str) -> str:
    """Return the path of a name in a folder; the root is empty or "."."""
    return name if folder in ("", ".") else f"{folder}/{name}"


def relate_below(folder: str, path: str) -> str | None:
    """Return a path relative to a folder ("" for the root); None if it is outside."""
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def list_above(path: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first and the root as ""."""
    while path:
        path = path.rpartition("/")[0]
        yield path
