"""References of a Markdown text to attachments, and the names they can stand for.

Anything like a link, picture or HTML attribute outside code counts: the fast scanner
finds at least what the grammar finds. The existence of a file is not checked here.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import islice
from posixpath import normpath
from typing import Final
from urllib.parse import unquote, urlsplit

from asdlc_kb.attachments.file_types import FILE_TYPES, find_type
from asdlc_kb.files.paths import is_free_name
from asdlc_kb.files.tree_names import INSTALLED, MAX_DEPTH
from asdlc_kb.markup.link_scanner import cut_code

MAX_REFERENCES: Final = 1_000
"""References of one text that are read; further ones are not served."""

MAX_HREF_CHARS: Final = 2_000
"""Characters of a reference; a longer one is not read."""

STATIC_ALIAS: Final = "@site/static/"
"""Docusaurus' name of its folder of static files."""

INDEX_STEMS: Final = frozenset({"index", "_index", "readme"})
"""Names, in lower case and without suffix, of a page at the address of its folder."""

_SUFFIX: Final = re.compile(rf"(?i)\.(?:{'|'.join(FILE_TYPES)})\b")
_GAP: Final = r"[ \t]*+(?:\n[ \t]*+)?"
_DESTINATION: Final = r"(?!<)(?:[^\s()]|\([^\s()]*\))++"
_REFERENCE: Final = re.compile(
    # What is in angle brackets may be a tag as well, so it is searched too.
    rf"\]\({_GAP}(?:(?=<(?P<angled>[^<>\n]++)>)|(?P<inline>{_DESTINATION}))"
    rf"|^[ ]{{0,3}}\[[^\]\n]++\]:{_GAP}(?:(?=<(?P<defined_angled>[^<>\n]++)>)"
    r"|(?P<defined>(?!<)\S++))"
    r"|\b(?:src|poster|href)\s*+=\s*+(?:\"(?P<double>[^\"\n]*+)\""
    r"|'(?P<single>[^'\n]*+)'|(?P<bare>[^\s\"'=<>`]++))"
    r"|\bsrcset\s*+=\s*+[\"'](?P<set>[^\"']*+)[\"']",
    re.MULTILINE | re.IGNORECASE,
)
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_WORD: Final = re.compile(r"[^\s,]++")


def may_refer(text: str) -> bool:
    """Whether a text has the suffix of an attachment; without one it refers to none."""
    return _SUFFIX.search(text) is not None


def find_references(text: str) -> Iterator[str]:
    """Yield the references of a text that have the suffix of an attachment."""
    if not may_refer(text):
        return
    yield from islice(_read(cut_code(text)), MAX_REFERENCES)


def list_names(
    href: str,
    source: str,
    static_folders: Sequence[str] = (),
    name_folders: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the names that a reference in the text at `source` can stand for.

    A name is a path with slashes, relative to a served folder. A relative reference is
    relative to the text's file, or else to the address of its page; it may lead into
    one of `static_folders`, which are relative to the folder of the texts. A name
    without a folder may be that of a file in one of `name_folders`; see
    `list_named`. Yields
    nothing for other sites, other paths, and names that are not served.
    """
    path = read_path(href)
    if not path:
        return
    if path.startswith(STATIC_ALIAS):
        path = f"/{path.removeprefix(STATIC_ALIAS)}"
    if path.startswith("/"):
        names = [path.lstrip("/")]
    else:
        folder, _, name = source.rpartition("/")
        stem = name.rpartition(".")[0]
        names = [f"{folder}/{path}" if folder else path]
        if stem.lower() not in INDEX_STEMS:
            names.append(f"{folder}/{stem}/{path}" if folder else f"{stem}/{path}")
        names += list_named(path, source, name_folders)
    names = [
        _cut_folder(name, static_folders)
        for name in dict.fromkeys(map(normpath, names))
    ]
    yield from filter(is_attachment_name, names)


def list_named(path: str, source: str, folders: Sequence[str]) -> Iterator[str]:
    """Yield the names of files in `folders` for a path without a folder.

    A folder is relative to that of the texts, or, with `./`, to that of the text.
    """
    if "/" not in path:
        for folder in folders:
            own = source.rpartition("/")[0] if folder.startswith("./") else ""
            yield normpath("/".join(filter(None, (own, folder, path))))


def read_path(href: str) -> str:
    """Return the path in a reference, decoded; empty for another site or no path."""
    if len(href) > MAX_HREF_CHARS:
        return ""
    try:
        parts = urlsplit(_ESCAPE.sub(r"\1", unescape(href)))
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return ""
    return "" if parts.scheme or parts.netloc else path


def is_attachment_name(name: str) -> bool:
    """Whether a file with this name may be served."""
    folders = name.split("/")
    return (
        find_type(name) is not None
        and len(folders) <= MAX_DEPTH + 1
        and all(map(is_free_name, folders))
        and INSTALLED.isdisjoint(folders)
    )


def _cut_folder(name: str, static_folders: Sequence[str]) -> str:
    """Return a name relative to the static folder that it leads into, if any."""
    for folder in static_folders:
        if name.startswith(f"{folder}/"):
            return name.removeprefix(f"{folder}/")
    return name


def _read(text: str) -> Iterator[str]:
    """Yield the references of a text without code.

    One that contains `](` may be none, but contain one: it is searched too, up to
    `MAX_REFERENCES` of them.
    """
    at = repeated = 0
    while match := _REFERENCE.search(text, at):
        kind = match.lastgroup or ""
        found = _WORD.findall(match[kind]) if kind == "set" else [match[kind]]
        yield from filter(_SUFFIX.search, found)
        at = match.end()
        if len(match[kind]) <= MAX_HREF_CHARS:
            inner = text.find("](", match.start(kind), at + 1)
            if inner >= 0 and (repeated := repeated + 1) <= MAX_REFERENCES:
                at = inner
