"""Lookup of page paths by names (D-151).

Four stages, each only where the one before finds nothing: the path itself in one of its
spellings; the same path but for case, blanks, ordering numbers and aliases; the path
without leading segments; the end of a path. What can mean several pages means none.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from asdlc_kb.attachments.references import INDEX_STEMS
from asdlc_kb.docs.links.hashed_names import HashedNames
from asdlc_kb.docs.links.link_paths import path_candidates, resolve_links
from asdlc_kb.files.tree_names import PAGE_SUFFIXES
from asdlc_kb.markup.titles import drop_order

MAX_NAME_CHARS: Final = 1_000
"""Characters of a name that is looked up other than by its path."""

MAX_SEGMENTS: Final = 34
"""Segments of such a name: a tree's depth and a prefix."""

MAX_SAME_NAME: Final = 100
"""Pages with one file name among which a path's end is searched."""

_MARKED: Final = re.compile(r"(?:^|/)[\d_(]")
"""Paths with segments of which marks and numbers are dropped."""

_SUFFIXES: Final = (".markdown", ".html", ".mdx", ".htm", ".md")


class PathLookup:
    """The names of a tree's visible pages. Immutable."""

    def __init__(
        self,
        paths: Iterable[str] = (),
        links: Mapping[str, str] | None = None,
        aliases: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Index `paths`; `links` are those on the disk (see `resolve_links`).

        `aliases` has the further names of a page, from the root, by its path.
        """
        self._known = dict.fromkeys(paths)
        self._paths = tuple(self._known)
        self._links = links or {}
        self._aliases = aliases or {}

    def updated(
        self,
        paths: Iterable[str],
        links: Mapping[str, str],
        aliases: Mapping[str, Sequence[str]],
    ) -> "PathLookup":
        """Return the lookup of other pages; itself if their names are the same."""
        later = PathLookup(paths, links, aliases)
        is_same = (self._paths, self._links, self._aliases) == (
            later._paths,
            later._links,
            later._aliases,
        )
        return self if is_same else later

    def precompute(self) -> None:
        """Compute the tables; blocks, call it in a thread."""
        _ = self._by_fold, self._keys, self._by_name, self._folded_links

    def find(self, name: str) -> str | None:
        """Return the path of the page that a name stands for, or None."""
        return self.find_exact(name) or self.guess(name)

    def guess(self, name: str) -> str | None:
        """Return the path that a name stands for which spells none, or None.

        A name with a suffix is that of a file, which is in no other folder: its page
        may have been deleted.
        """
        end = None if name.endswith(PAGE_SUFFIXES) else self.find_end(name)
        return self.find_alike(name) or end or self.find_beginning(name)

    def find_exact(self, name: str) -> str | None:
        """Return the path that a name spells.

        Leading slash, suffix, `index.md` and trailing slash are optional, and case
        matters only between paths that differ in nothing else.
        """
        for path in path_candidates(name):
            if (found := self._look_up(path)) is not None:
                return found
        for path in path_candidates(name.casefold()):
            if (found := self._look_up_fold(path)) is not None:
                return found
        return None

    def find_alike(self, name: str) -> str | None:
        """Return the path that a name spells but for blanks and numbers, or an alias.

        `guide/intro` is `02-guide/01-intro.md`, where no other page is meant.
        """
        key = _read_key(name)
        return self._get_only(self._find_key(key)) if key else None

    def find_end(self, name: str) -> str | None:
        """Return the path that is a name without some leading segments.

        `en/guide/intro` is `guide/intro.md`, if `intro.md` is no page too.
        """
        key = _read_key(name)
        if not key or self._is_ambiguous(key):
            return None
        segments = key.split("/")
        ends = ("/".join(segments[at:]) for at in range(1, len(segments)))
        found = {self.find_exact(end) or self.find_alike(end) for end in ends} - {None}
        return found.pop() if len(found) == 1 else None

    def find_beginning(self, name: str) -> str | None:
        """Return the only path that is a name with further leading segments.

        `intro` is `guide/intro.md`, if no other folder has a page of that name.
        """
        key = _read_key(name)
        if not key or self._is_ambiguous(key):
            return None
        same_name = self._by_name.find(key.rpartition("/")[2])
        if len(same_name) > MAX_SAME_NAME:
            return None
        end = f"/{key}"
        return self._get_only(
            number
            for number in same_name
            for own in self._list_keys(self._paths[number])
            if f"/{own}".endswith(end) and {*self._find_key(own)} == {number}
        )

    def _is_ambiguous(self, key: str) -> bool:
        return len(set(self._find_key(key))) > 1

    def _get_only(self, numbers: Iterable[int]) -> str | None:
        """Return the path of a number; None without one, or if several differ."""
        found = set(numbers)
        return self._paths[found.pop()] if len(found) == 1 else None

    def _look_up(self, path: str) -> str | None:
        """Return a path that is a page's, or else the one that links at it lead to."""
        if path in self._known:
            return path
        real = resolve_links(path, self._links) if self._links else path
        return real if real in self._known else None

    def _look_up_fold(self, path: str) -> str | None:
        found = self._find_folded(path)
        if found is None and self._folded_links:
            return self._find_folded(resolve_links(path, self._folded_links))
        return found

    def _find_folded(self, path: str) -> str | None:
        """Return the path that is another but for case; None if several are."""
        others = self._by_fold.find(path)
        if path in self._known:
            return None if others else path
        return self._get_only(others)

    @cached_property
    def _by_fold(self) -> HashedNames:
        """Those paths by case-folded path that are not their own."""
        folded = ((path.casefold(), at) for at, path in enumerate(self._paths))
        return HashedNames((name, at) for name, at in folded if name != self._paths[at])

    @cached_property
    def _folded_links(self) -> Mapping[str, str]:
        links = self._links.items()
        return {path.casefold(): real.casefold() for path, real in links}

    def _find_key(self, key: str) -> Sequence[int]:
        """Return the numbers of the paths with a key, of the best kind that has it."""
        return next(filter(None, (keys.find(key) for keys in self._keys)), ())

    @cached_property
    def _keys(self) -> Sequence[HashedNames]:
        """The keys of paths: whole, without marks, without numbers, of aliases."""
        numbers = {path: at for at, path in enumerate(self._paths)}
        marked = [
            (_make_key(path), at)
            for path, at in numbers.items()
            if _MARKED.search(path)
        ]
        return (
            HashedNames((_make_key(path), at) for path, at in numbers.items()),
            HashedNames((_drop_marks(key), at) for key, at in marked),
            HashedNames((_drop_orders(key), at) for key, at in marked),
            HashedNames(
                (_read_key(alias), numbers[path])
                for path, aliases in self._aliases.items()
                for alias in aliases
            ),
        )

    def _list_keys(self, path: str) -> set[str]:
        """Return all keys of a path."""
        key = _make_key(path)
        found = {key, *map(_read_key, self._aliases.get(path, ()))}
        if _MARKED.search(path):
            found |= {_drop_marks(key), _drop_orders(key)}
        return found - {""}

    @cached_property
    def _by_name(self) -> HashedNames:
        """The paths by the last segments of their keys."""
        return HashedNames(
            (name, at)
            for at, path in enumerate(self._paths)
            for name in {key.rpartition("/")[2] for key in self._list_keys(path)}
        )


def _read_key(name: str) -> str:
    """Return the key of a name as written; empty if it can have none."""
    bare = name.removeprefix("./").strip("/")
    if len(bare) > MAX_NAME_CHARS or "\\" in bare:
        return ""
    segments = bare.split("/")
    if len(segments) > MAX_SEGMENTS or any(s in ("", ".", "..") for s in segments):
        return ""
    return _make_key(bare)


def _make_key(path: str) -> str:
    """Return a path without case, suffix and the name of an index page."""
    key = path.casefold().replace(" ", "-")
    for suffix in _SUFFIXES:
        if key.endswith(suffix):
            key = key.removesuffix(suffix)
            break
    folder, _, name = key.rpartition("/")
    return folder if name in INDEX_STEMS else key


def _drop_orders(key: str) -> str:
    """Return a key without ordering numbers, route groups, and marks of collections.

    Jekyll marks the folder of a collection with `_`, Next.js groups routes in `(x)`.
    """
    segments = map(drop_order, _drop_marks(key).split("/"))
    return "/".join(each for each in segments if (each[:1], each[-1:]) != ("(", ")"))


def _drop_marks(key: str) -> str:
    """Return a key without the marks of Jekyll's collections, as in its addresses."""
    return "/".join(part.lstrip("_") or part for part in key.split("/"))
