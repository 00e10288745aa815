"""Resolution of links to pages: `.md`, `.html`, without suffix, or a folder.

Existence and visibility of the page are not checked here.
"""

import re
from collections.abc import Iterator, Mapping
from posixpath import normpath
from typing import Final
from urllib.parse import unquote, urlsplit

from asdlc_kb.files.tree_names import PAGE_SUFFIXES

INDEXES: Final = (
    *("index.md", "README.md", "_index.md"),
    *("index.mdx", "index.markdown", "readme.md"),
)
"""File names of a folder's index page, in lookup order."""

_WRITTEN = re.compile(r"\.html?\Z", re.IGNORECASE)


def path_candidates(name: str) -> Iterator[str]:
    """Yield the candidate paths for a page's name, the likeliest first.

    `guide/x.md`, `/guide/x.md`, `./guide/x`, `guide/x.html` and `guide/` are names. A
    name with a slash at its end is first that of a folder, then of a page.
    """
    plain = name.removeprefix("./").lstrip("/")
    folder = plain.rstrip("/")
    files = (f"{_WRITTEN.sub('', folder)}{suffix}" for suffix in PAGE_SUFFIXES)
    if folder and folder == plain:
        yield plain
        yield from files
    for index in INDEXES:
        yield f"{folder}/{index}" if folder else index
    if folder != plain:
        yield from files if folder else ()


def resolve_links(path: str, links: Mapping[str, str]) -> str:
    """Return a path with each of its links replaced, the first folder's first.

    `links` has the path of a file or folder by that of a link to it; none of its
    values leads through a link.
    """
    resolved = ""
    for name in path.split("/"):
        resolved = f"{resolved}/{name}" if resolved else name
        resolved = links.get(resolved, resolved)
    return resolved


def follow_link(href: str, source: str) -> str | None:
    """Return the name of the page that a link in the page `source` leads to.

    None for a link to another site, above the root, or within the page.
    """
    path = read_path(href)
    if path is None:
        return None
    folder = source.rpartition("/")[0]
    joined = path if path.startswith("/") else f"{folder}/{path}"
    name = normpath(f"./{joined.lstrip('/')}")
    if name == ".." or name.startswith("../"):
        return None
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return "/" if name == "." else f"{name}/" if is_folder else name


def read_path(href: str) -> str | None:
    """Return the decoded path of a link; None without one or to another site."""
    try:
        parts = urlsplit(href)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return None
    if parts.scheme or parts.netloc or "\0" in path:
        return None
    return path or None
