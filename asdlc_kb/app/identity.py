"""The server's name, title and tagline, and the name of its entry in clients.

What the operator does not set is derived from the content: the title of the tree's
generator, of its index page or README, or the name of its folder.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.app.sources import ConfiguredSources
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.reader import ChangedWhileRead, read_file
from asdlc_kb.markup.titles import readable_title
from asdlc_kb.settings import Settings
from asdlc_kb.unicode.truncation import truncate

NAME: Final = "asdlc-knowledge-base"
"""The name of the server in the protocol, unless `server_name` is set."""

MAX_TITLE_CHARS: Final = 80
"""Characters of a title that is derived from content."""

MAX_ENTRY_CHARS: Final = 32
"""Characters of the name of an entry in clients, as they accept it."""

NEUTRAL_ENTRY: Final = "knowledge-base"
"""The name of an entry for content that has no name."""

_NEUTRAL: Final = "Knowledge base"
"""The title of content that has no name."""

_INDEXES: Final = ("index.md", "index.mdx", "_index.md", "README.md", "readme.md")
_GENERIC_TITLES: Final = frozenset(
    "content contents doc docs documentation guide home index introduction overview "
    "readme start welcome".split()
)
"""Titles that name no content, case-folded."""
_GENERIC_FOLDERS: Final = frozenset(
    "articles content contents doc docs documentation en pages site source src "
    "website".split()
)
"""Folders whose parent names the content."""
_GENERIC_WORDS: Final = frozenset(
    "a an and base docs documentation for knowledge of site the website".split()
)
"""Words of a title that an entry's name does not need."""
_PLAIN: Final = re.compile(r"[^\w .,:&+'()/-]+")


@dataclass(frozen=True, slots=True)
class ServerIdentity:
    """What the server is called."""

    name: str
    """For programs: `serverInfo.name`."""
    title: str
    """For people."""
    tagline: str

    @property
    def entry(self) -> str:
        """The name of the entry with which clients add the server."""
        words = re.findall("[a-z0-9]+", self.title.lower())
        words = [word for word in words if word not in _GENERIC_WORDS]
        while words and not words[0][0].isalpha():
            del words[0]
        while len("-".join(words)) > MAX_ENTRY_CHARS and len(words) > 1:
            del words[-1]
        return "-".join(words)[:MAX_ENTRY_CHARS] or NEUTRAL_ENTRY


def identify_server(settings: Settings, sources: ConfiguredSources) -> ServerIdentity:
    """Return what the server is called; reads a few files."""
    title = settings.title or next(_find_titles(sources), _NEUTRAL)
    return ServerIdentity(
        settings.server_name or NAME,
        title,
        settings.tagline or describe_content(sources),
    )


def describe_content(sources: ConfiguredSources) -> str:
    """Return a sentence about the kinds of content."""
    names = {"articles": "Articles", "docs": "Documentation"}
    kinds = [names[source.kind] for source in sources.indexed]
    kinds += ["Project context"] * bool(sources.projects)
    if not kinds:
        return ""
    words = " and ".join(kinds[:2]) if len(kinds) < 3 else ", ".join(kinds)
    return f"{words[:1]}{words[1:].lower()} for people and AI agents."


def _find_titles(sources: ConfiguredSources) -> Iterator[str]:
    """Yield the titles of the content, the best first."""
    roots = [sources.articles.root] if sources.articles is not None else []
    docs = sources.docs
    # A tree with a name is a part of several.
    if docs is not None and not (
        roots and any(t.mount.source for t in docs.main_trees)
    ):
        yield from _clean(docs.title)
        roots += (tree.library.root for tree in docs.main_trees)
    for root in roots:
        yield from _clean(_read_title(root))
    for root in roots:
        yield from _clean(_name_folder(root))
    if docs is not None:
        names = dict.fromkeys(readable_title(tree.mount.source) for tree in docs.trees)
        yield from _clean(", ".join(names))
    for project in sources.projects:
        yield from _clean(_name_folder(project.root))


def _clean(title: str) -> Iterator[str]:
    """Yield a title as plain words on one line, if it names anything."""
    words = " ".join(_PLAIN.sub(" ", title).split())
    if words and words.casefold() not in _GENERIC_TITLES:
        yield truncate(words, MAX_TITLE_CHARS)


def _read_title(root: Path) -> str:
    """Return the title of a folder's index page or README; empty if none is visible."""
    for name in _INDEXES:
        if not os.path.lexists(root / name):
            continue
        # Imported late: most folders of articles have no such file.
        from asdlc_kb.docs.pages.page import DocPage, read_page
        from asdlc_kb.files.tree_listing import check_page_path

        try:
            raw = read_file(root, name, judge=check_page_path)
        except (OSError, UnreadableFile, ChangedWhileRead):
            continue
        page = read_page(raw).value
        if isinstance(page, DocPage) and any(_clean(page.title)):
            return page.title
    return ""


def _name_folder(root: Path) -> str:
    """Return the name of a folder in words; that of its parent if it is generic."""
    for folder in (Path(os.path.realpath(root)), *Path(os.path.realpath(root)).parents):
        if folder.name and folder.name.casefold() not in _GENERIC_FOLDERS:
            return readable_title(folder.name)
    return ""
