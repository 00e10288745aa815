"""Dates of the last commits of pages, read from git repositories (D-201).

Read by a library, since programs of a repository's configuration would run with git.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from asdlc_kb.docs.collection import DocCollection

if TYPE_CHECKING:
    from dulwich.diff_tree import TreeChange

MAX_COMMITS: Final = 20_000
"""Commits that are read of a repository, the latest first: about 40 seconds."""


def find_commit_dates(docs: DocCollection) -> Mapping[str, str]:
    """Return the date of the last commit of each visible page that has one, by path.

    Empty without the extra `git`. Blocks.
    """
    found: dict[str, str] = {}
    for tree in docs.trees:
        repository = tree.library.configuration.repository
        if repository is not None:
            paths = {tree.locate_file(p): p for p in tree.library.catalog.by_path}
            dates = read_commit_dates(repository, paths.keys())
            for file, date in dates.items():
                found[f"{tree.mount.prefix}{paths[file]}"] = date
    return found


def read_commit_dates(repository: Path, files: Collection[str]) -> Mapping[str, str]:
    """Return the date of the last commit of files, in UTC (ISO 8601), by path.

    The oldest commit of a shallow clone has all files, so it is ignored.
    """
    try:
        # Imported late: needs the extra `git`.
        from dulwich.errors import FileFormatException, NotGitRepository
        from dulwich.repo import Repo
    except ImportError:
        return {}
    wanted = {os.fsencode(file): file for file in files}
    dates: dict[str, str] = {}
    try:
        with Repo(str(repository)) as repo:
            shallow = repo.get_shallow()
            for entry in repo.get_walker(max_entries=MAX_COMMITS):
                if not wanted:
                    break
                if entry.commit.id in shallow:
                    continue
                moment = datetime.fromtimestamp(entry.commit.commit_time, UTC)
                for change in chain.from_iterable(map(_flatten, entry.changes())):
                    new = change.new if change is not None else None
                    path = new.path if new is not None else None
                    if (file := wanted.pop(path or b"", None)) is not None:
                        dates[file] = moment.date().isoformat()
    except (FileFormatException, KeyError, NotGitRepository, OSError):
        # Without commits, or damaged: what was read is true.
        return dates
    return dates


def _flatten(
    change: "TreeChange | list[TreeChange | None]",
) -> "Sequence[TreeChange | None]":
    """Return changes of one file: in a merge, one for each parent."""
    return change if isinstance(change, list) else (change,)
