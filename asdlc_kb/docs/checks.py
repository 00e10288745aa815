"""Consistency checks across pages: `asdlc-kb check --docs`.

Problems between files are computed on demand, for the author: they name hidden pages,
so they must not reach clients or the website.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from asdlc_kb.attachments.file_types import find_type
from asdlc_kb.attachments.references import (
    INDEX_STEMS,
    STATIC_ALIAS,
    list_named,
    read_path,
)
from asdlc_kb.docs.catalogs.catalog import DocCatalog
from asdlc_kb.docs.collection import DocTree
from asdlc_kb.docs.curated.tree_index import TreeIndex, has_index
from asdlc_kb.docs.links.link_paths import follow_link
from asdlc_kb.docs.links.link_resolution import localize, resolve_file
from asdlc_kb.docs.links.path_lookup import PathLookup
from asdlc_kb.docs.links.written_names import URI_PREFIX
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.docs.pages.page_anchors import read_anchors, read_fragment
from asdlc_kb.docs.written_positions import WrittenPositions
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.tree_listing import is_markdown
from asdlc_kb.files.tree_names import PAGE_SUFFIXES
from asdlc_kb.markup.anchor_index import MIN_SIMILARITY
from asdlc_kb.markup.outline import read_outline

CODES: Final[Mapping[str, str]] = {
    "KB034": "the configuration of documentation cannot be read",
    "KB035": "an include of a page is not resolved",
    "KB036": "an `llms.txt` of documentation is not used",
}
"""Every code that only pages have, with its meaning."""

MAX_CHECKED_CHARS: Final = 512 * 1024
"""Characters of a page in which links are checked; the website shows longer ones as
code."""

_TOP: Final = "top"
"""The anchor of the beginning of any page in HTML."""
_PAGES: Final = (*PAGE_SUFFIXES, ".html", ".htm")
_GENERATED: Final = re.compile(r"(?m)^[ \t]*:::[ \t]*[\w.-]+[ \t]*$")
"""A part of a page that a plugin of MkDocs writes, with headings of its own."""
_TEMPLATE: Final = ("{", "%7B", "%7b")
"""What a link has that its generator fills in."""


def check_pages(tree: DocTree, collection: DocCatalog) -> list[Problem]:
    """Return every problem of a tree's files and between them, in path order.

    Links may lead to the other trees of a collection.
    """
    index = TreeIndex(collection, tree).check() if has_index(tree) else ()
    return sorted(
        {
            *tree.library.catalog.snapshot.all_problems(),
            *_TreeCheck(tree, collection).all(),
            *index,
        }
    )


class _TreeCheck:
    """One check of the links of a tree."""

    def __init__(self, tree: DocTree, collection: DocCatalog) -> None:
        self._catalog = catalog = tree.library.catalog
        self._root = tree.library.root
        self._name_folders = tree.library.configuration.name_folders
        self._prefix = tree.mount.prefix
        self._collection = collection
        entries = catalog.snapshot.entries.items()
        self._hidden = PathLookup(path for path, entry in entries if not entry.value)
        self._advise = lru_cache(1_000)(self._find_advice)

    def all(self) -> Iterator[Problem]:
        """Yield every problem of a link or a picture."""
        for page in self._catalog.pages:
            if len(page.body) > MAX_CHECKED_CHARS:
                continue
            outline = read_outline(page.body)
            dependencies = self._catalog.snapshot.entries[page.path].dependencies
            positions = WrittenPositions(self._root, page, dependencies)
            for link in outline.links:
                if (fault := self._judge_link(page, link.href)) is not None:
                    yield Problem(*positions.find_link(link), *fault)
            for picture in outline.pictures:
                if (message := self._judge_picture(page, picture.href)) is not None:
                    yield Problem(*positions.find_link(picture), "KB033", message)

    def _judge_link(self, page: DocPage, href: str) -> tuple[str, str] | None:
        """Return code and message if a link or its anchor leads nowhere."""
        if any(mark in href for mark in _TEMPLATE):
            return None
        target = self._catalog.resolve(href, page.path)
        if target is not None:
            return self._judge_anchor(page, target.path, target.anchor)
        if self._collection.resolve(href, f"{self._prefix}{page.path}") is not None:
            return None
        names = self._list_paths(page, href)
        if not names or self._is_elsewhere(href, names):
            return None
        for name in names:
            if (hidden := self._hidden.find_exact(name)) is not None:
                problems = self._catalog.snapshot.entries[hidden].problems
                has_status = all(problem.code != "KB013" for problem in problems)
                advice = "remove the link" if has_status else "correct its status"
                return "KB031", f"links to '{hidden}', which is hidden: {advice}"
        name = names[0] or "/"
        kind = "page" if _may_be_page(name) else "file"
        return "KB030", f"no {kind} '{name}': {self._advise(name)}"

    def _judge_anchor(
        self, page: DocPage, path: str, written: str
    ) -> tuple[str, str] | None:
        target = self._catalog.by_path[path]
        if target.dialect == "mkdocs" and _GENERATED.search(target.source):
            return None
        if target.dialect == "myst" and path == page.path:
            # A label of any page.
            return None
        anchors = read_anchors(target)
        anchor = read_fragment(written)
        if anchor in ("", _TOP) or anchors.find(anchor) is not None:
            return None
        where = "here" if path == page.path else f"in '{path}'"
        return "KB032", anchors.describe_missing(anchor, where)

    def _judge_picture(self, page: DocPage, source: str) -> str | None:
        """Return a message if a picture is missing in the tree."""
        names = self._list_paths(page, source)
        is_alias = source.startswith("@") and not source.startswith(STATIC_ALIAS)
        is_known = names and not source.startswith("/") and not is_alias
        if not is_known or any(mark in source for mark in _TEMPLATE):
            return None
        if self._has_file(names):
            return None
        return f"no picture '{names[0]}': add it, or correct the path"

    def _list_paths(self, page: DocPage, href: str) -> tuple[str, ...]:
        """Return the paths that a link can mean, none if a file of it is outside.

        A full address may be that of another part of the site.
        """
        rules = self._catalog.link_rules
        local = localize(href, rules) if href.startswith(URI_PREFIX) else href
        is_inside = follow_link(local, page.path) is not None
        if not is_inside:
            return ()
        named = list_named(read_path(href), page.path, self._name_folders)
        return (*resolve_file(href, page.path, rules), *named)

    def _is_elsewhere(self, href: str, names: tuple[str, ...]) -> bool:
        """Whether a link is to what is no page, here or beside the tree."""
        if self._is_outside(href):
            return True
        if not self._catalog.configuration.generator and self._has_folder(names):
            # GitHub lists the files of a folder without a page.
            return True
        is_file = self._has_file(names)
        if not PurePosixPath(names[0]).suffix and is_file:
            # As `LICENSE` or `Makefile`.
            return True
        is_static = href.startswith(("/", STATIC_ALIAS))
        return not _may_be_page(names[0]) and (is_static or is_file)

    def _is_outside(self, href: str) -> bool:
        """Whether the generator resolves a link without the pages of the tree.

        To another part of the site, by an alias of its bundler, or as a name.
        """
        path, stated = read_path(href), self._catalog.configuration
        if localize(href, self._catalog.link_rules) != href:
            return False
        if path.startswith("/") and not is_markdown(path):
            prefixes = (stated.route, *stated.prefixes) if stated.route else ("/",)
            return not f"{path}/".startswith(prefixes)
        is_file = find_type(path) is not None or path.endswith(_PAGES)
        is_name = stated.resolves_names and "/" not in path and not is_file
        return is_name or path.startswith("@")

    def _has_file(self, names: Iterable[str]) -> bool:
        # Unlike `Path.is_file`, it is false in a folder that cannot be read.
        return any(os.path.isfile(self._root / name) for name in names)

    def _has_folder(self, names: Iterable[str]) -> bool:
        return any(os.path.isdir(self._root / name) for name in filter(None, names))

    def _find_advice(self, name: str) -> str:
        near = [p for p in self._catalog.find_near(name) if _is_similar(name, p)]
        return f"did you mean '{near[0]}'?" if near else "fix or remove it"


def _is_similar(name: str, path: str) -> bool:
    """Whether the last names of two paths are similar, not only their folders."""
    names = _read_name(name), _read_name(path)
    return SequenceMatcher(None, *names).ratio() >= MIN_SIMILARITY


def _read_name(path: str) -> str:
    """Return the name of a page without suffix, of an index that of its folder."""
    *folders, name = path.casefold().rstrip("/").split("/")
    stem = PurePosixPath(name).stem if is_markdown(name) else name
    return folders[-1] if folders and stem in INDEX_STEMS else stem


def _may_be_page(name: str) -> bool:
    suffix = PurePosixPath(name).suffix.lower()
    return is_markdown(name) or suffix in ("", ".html", ".htm")
