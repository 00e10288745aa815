"""Notes by their names, as those of a vault embed each other."""

from pathlib import Path
from typing import Final

from asdlc_kb.files.dependencies import Dependency
from asdlc_kb.files.listing import Listing

MAX_FOLDERS: Final = 1_000
"""Folders of a tree whose notes are found by name: each is a dependency of the page."""


class NoteNames:
    """The listed files of a tree by their names, case-insensitive."""

    def __init__(self, root: Path, listing: Listing) -> None:
        is_bounded = len(listing.folders) <= MAX_FOLDERS
        self.dependencies: dict[str, Dependency] = {}
        """The folders in which others may appear, by their absolute paths."""
        self._paths: dict[str, list[str]] = {}
        if not is_bounded:
            return
        for folder, signature in listing.folders.items():
            path = str(root / folder)
            self.dependencies[path] = Dependency(path, signature)
        for path in sorted(listing.files, key=lambda path: (path.count("/"), path)):
            name = path.rpartition("/")[2].casefold()
            self._paths.setdefault(name, []).append(path)

    def find(self, written: str) -> list[str]:
        """Return the paths that end with a name, or with folders and a name.

        Those in the fewest folders come first.
        """
        end = written.strip("/").casefold()
        paths = self._paths.get(end.rpartition("/")[2], ())
        return [path for path in paths if f"/{path.casefold()}".endswith(f"/{end}")]
