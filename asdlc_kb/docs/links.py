"""Which page a link means: as `.md`, `.html`, without suffix, or as a folder.

Whether there is such a page, and whether it may be seen, is not asked here.
"""

import re
from collections.abc import Iterator
from posixpath import normpath
from typing import Final
from urllib.parse import unquote, urlsplit

INDEXES: Final = (
    *("index.md", "README.md", "_index.md"),
    *("index.mdx", "index.markdown", "readme.md"),
)
"""What a folder's own page is called, in the order in which it is looked up."""

SUFFIXES: Final = (".md", ".mdx", ".markdown")
"""What may be missing at the end of a path, in the order in which it is tried."""

MAX_SPELLINGS: Final = 12
"""Paths that one name can stand for."""

_WRITTEN = re.compile(r"\.html?\Z", re.IGNORECASE)


def path_candidates(name: str) -> Iterator[str]:
    """Yield the paths that a name of a page can stand for, the likeliest first.

    `guide/x.md`, `/guide/x.md`, `./guide/x`, `guide/x.html` and `guide/` are names.
    """
    plain = name.removeprefix("./").lstrip("/")
    if plain and not plain.endswith("/"):
        yield plain
        stem = _WRITTEN.sub("", plain)
        for suffix in SUFFIXES:
            yield f"{stem}{suffix}"
    folder = plain.rstrip("/")
    for index in INDEXES:
        yield f"{folder}/{index}" if folder else index


def follow_link(href: str, source: str) -> str | None:
    """Return the name that a link in the page `source` leads to, with slashes.

    None for a link to another site, to what is above the root, or within the page.
    """
    try:
        parts = urlsplit(href)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not path or "\0" in path:
        return None
    folder = source.rpartition("/")[0]
    joined = path if path.startswith("/") else f"{folder}/{path}"
    name = normpath(f"./{joined.lstrip('/')}")
    if name == ".." or name.startswith("../"):
        return None
    is_folder = path.endswith(("/", "/.", "/..")) or path in (".", "..")
    return "/" if name == "." else f"{name}/" if is_folder else name
