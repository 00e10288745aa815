"""Count of the files of a folder in formats that are not read, for its operator."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

MAX_SEEN: Final = 20_000
"""Files looked at; more are not counted."""

FORMATS: Final = frozenset(
    {
        *(".rst", ".adoc", ".asciidoc", ".asc", ".org", ".txt", ".textile", ".wiki"),
        *(".html", ".htm", ".ipynb", ".qmd", ".rmd", ".mkd", ".mdown", ".mdoc"),
        *(".tex", ".pdf", ".docx"),
    }
)
"""Suffixes of texts in other formats."""

_SKIPPED: Final = frozenset({"node_modules", "__pycache__", "site-packages"})


def describe_other_formats(root: Path) -> str | None:
    """Return what is not read, as `2 .rst files are not read, ...`; blocks."""
    counted = Counter(islice(_list_suffixes(root), MAX_SEEN))
    found = [
        f"{number:,} {suffix} file{'s' if number > 1 else ''}"
        for suffix, number in sorted(counted.items())
    ]
    if not found:
        return None
    verb = "are" if counted.total() > 1 else "is"
    return f"{', '.join(found)} {verb} not read, only Markdown is"


def _list_suffixes(root: Path) -> Iterator[str]:
    """Yield the suffix of each file in another format."""
    files = (name for names in _walk(root) for name in names if name[0] != ".")
    for name in islice(files, MAX_SEEN):
        suffix = os.path.splitext(name)[1].lower()
        if suffix in FORMATS:
            yield suffix


def _walk(root: Path) -> Iterator[list[str]]:
    """Yield the names of the files of each folder."""
    for _, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f[0] != "." and f not in _SKIPPED]
        yield names
