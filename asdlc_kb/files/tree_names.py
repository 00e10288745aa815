"""Rules for the real paths of files in a documentation tree."""

import os
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.listing import COPY_ADVICE, check_folder

MAX_DEPTH: Final = 32
"""Levels of nested folders; deeper files are not served."""

PAGE_SUFFIXES: Final = (".md", ".mdx", ".markdown")
"""Suffixes of Markdown files, in the order of lookup for a name without one."""

INSTALLED: Final = frozenset(
    {
        *("node_modules", "bower_components", "jspm_packages"),
        *("__pycache__", "site-packages", "CVS"),
    }
)
"""Folders that package managers and other programs fill."""

MARKS: Final = frozenset({"CACHEDIR.TAG", "pyvenv.cfg"})
"""Files that mark a folder as generated: a cache (https://bford.info/cachedir/), a
virtual environment."""


def list_folders(path: str) -> list[str]:
    """Return the folders above a file, the outermost first."""
    segments = path.split("/")[:-1]
    return ["/".join(segments[: n + 1]) for n in range(len(segments))]


def check_tree_folder(path: str) -> UnreadableFile | None:
    """Return why a folder's real path is refused: hidden or installed."""
    if INSTALLED.isdisjoint(path.split(os.sep)):
        return check_folder(path)
    return UnreadableFile("the link points to installed packages", COPY_ADVICE)
