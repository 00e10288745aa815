"""Pages that a tree leaves out: by its generator's configuration, and by git."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.generators.ignored_files import PathPatterns
from asdlc_kb.docs.generators.path_expressions import Exclusion
from asdlc_kb.files.tree_names import list_folders

PathFilter: TypeAlias = Callable[[str], bool]
"""Whether a path is left out; that of a folder ends with a slash."""

_OF_ALL_FILES: Final = frozenset({"hugo", "jekyll", "mintlify", "mkdocs", "zensical"})
"""Generators that publish no file that is left out. The others publish each file to
which one of the remaining pages refers."""

_OF_PAGES: Final = frozenset({"/snippets/", "vendor/"})
"""Patterns of Mintlify and Jekyll for folders whose other files they publish."""

_SIGNS: Final = str.maketrans({sign: f"\\{sign}" for sign in "\\*?["})


class Exclusions:
    """Matches paths with the patterns of a configuration, for the folder of each.

    Patterns are compiled when they are needed.
    """

    def __init__(self, configuration: TreeConfiguration) -> None:
        self._configuration = configuration
        self._base = configuration.base
        repository, root = configuration.repository, configuration.root
        self._ignored_base: str | None = None
        """The path of the root in the repository; None if git's patterns are not for
        pages."""
        if configuration.leaves_out_ignored and repository is not None:
            base = os.path.relpath(root, repository)
            self._ignored_base = "" if base == os.curdir else f"{base}/"

    @cached_property
    def leaves_out(self) -> PathFilter:
        """Whether a path below the root is no page, if the folders above it are not
        left out."""
        excludes = _match_below(self._excluded, self._base)
        if self._ignored_base is None:
            return excludes
        ignores = _match_below(self._ignored_pages, self._ignored_base)
        return lambda path: excludes(path) or ignores(path)

    def is_ignored(self, path: str) -> bool:
        """Whether git ignores a file of the repository; `path` is absolute."""
        repository = self._configuration.repository
        if repository is None:
            return False
        for top in dict.fromkeys((str(repository), os.path.realpath(repository))):
            name = os.path.relpath(path, top)
            if not name.startswith(os.pardir):
                return self._ignored.match(name)
        return False

    def make_file_filter(self, folder: Path) -> PathFilter:
        """Return a filter for the files below a folder that are no pages.

        It matches the folders above each file too. What is no documentation is not left
        out, nor what a generator leaves out of its pages only.
        """
        stated, filters = self._configuration, []
        if stated.generator in _OF_ALL_FILES:
            top = (stated.root, *stated.root.parents)[self._base.count("/")]
            patterns, base = self._excluded_files, self._base
            filters.append(_match_files(patterns, base, top, folder))
        if self._ignored_base is not None and stated.repository is not None:
            patterns, base = self._ignored_pages, self._ignored_base
            filters.append(_match_files(patterns, base, stated.repository, folder))
        return lambda path: any(leaves_out(path) for leaves_out in filters)

    @cached_property
    def _excluded(self) -> PathPatterns:
        return PathPatterns(select_patterns(self._configuration.excluded, self._base))

    @cached_property
    def _excluded_files(self) -> PathPatterns:
        excluded = self._configuration.excluded
        kept = [pattern for pattern in excluded if pattern not in _OF_PAGES]
        return PathPatterns(select_patterns(kept, self._base))

    @cached_property
    def _ignored_pages(self) -> PathPatterns:
        ignored = self._configuration.ignored
        selected = select_patterns(ignored, self._ignored_base or "")
        return self._ignored if selected is ignored else PathPatterns(selected)

    @cached_property
    def _ignored(self) -> PathPatterns:
        return PathPatterns(self._configuration.ignored)


def _match_below(patterns: PathPatterns, base: str) -> PathFilter:
    """Return a filter for the paths below a folder; each scan asks for all of them."""
    if not base or not patterns.has_any:
        return patterns.match
    return lambda path: patterns.match(f"{base}{path}")


def _match_files(
    patterns: PathPatterns, base: str, top: Path, folder: Path
) -> PathFilter:
    """Return a filter for the files below `folder`; patterns are relative to `top`.

    The folders of `base` are served, so they are not left out.
    """
    served = {f"{each}/" for each in list_folders(base)}
    inside, outside = _relate(folder, top), _relate(top, folder)

    def leaves_out(path: str) -> bool:
        if inside is None and (outside is None or not path.startswith(outside)):
            return False
        name = f"{inside or ''}{path.removeprefix(outside or '')}"
        above = {f"{each}/" for each in list_folders(name)} - served
        return any(map(patterns.match, (*above, name)))

    return leaves_out if patterns.has_any else lambda path: False


def _relate(folder: Path, top: Path) -> str | None:
    """Return the path of a folder below another, with a slash; None if it is not."""
    if not folder.is_relative_to(top):
        return None
    return "".join(f"{part}/" for part in folder.relative_to(top).parts)


def select_patterns(patterns: Sequence[Exclusion], base: str) -> Sequence[Exclusion]:
    """Return the patterns that count below a folder at `base`, which ends with a slash.

    An operator who serves a folder that is left out wants its pages: a pattern of the
    folder itself counts for the names of files and folders in it only (D-279).
    """
    if not base or not PathPatterns(patterns).match(base):
        return patterns
    return tuple(_select(patterns, base))


def _select(patterns: Sequence[Exclusion], base: str) -> Iterator[Exclusion]:
    for pattern in patterns:
        if not isinstance(pattern, str):
            yield pattern
            continue
        sign, body = ("!", pattern[1:]) if pattern[0] == "!" else ("", pattern)
        name = body.removeprefix("**/")
        if body.rstrip("/").endswith("/**") or not PathPatterns((body,)).match(base):
            yield pattern
        elif "/" not in name.rstrip("/"):
            yield f"{sign}/{base.translate(_SIGNS)}**/{name}"
