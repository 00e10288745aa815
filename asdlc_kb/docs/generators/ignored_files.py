"""Patterns of files that a repository ignores, vendors or only tests with."""

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.path_expressions import (
    MAX_WILDCARDS,
    Exclusion,
    PathExpression,
)

MAX_PATTERNS: Final = 1_000
"""Patterns of one repository; the rest is ignored."""

MAX_PATHS: Final = 200_000
"""Paths for which the result of the match is kept."""

MAX_FOLDERS: Final = 2_000
"""Folders that are searched for `.gitignore`, the uppermost first."""

MAX_DEPTH: Final = 4
"""Levels of folders that are searched for `.gitignore`."""

_PART: Final = re.compile(r"\\.|\[[!^]?\]?[^\]]*\]|\*+|.", re.DOTALL)

NOT_DOCUMENTATION: Final = (
    *("vendor/", "third_party/", "third-party/", "external/", "deps/"),
    *("test/", "tests/", "__tests__/", "testdata/", "fixtures/", "__fixtures__/"),
    *("spec/", "e2e/", "dist/", "build/", "target/", "venv/", "env/"),
)
"""Folders with copies of other projects, tests, and what programs write."""


class PathPatterns:
    """Exclusions, matched with paths relative to one folder."""

    def __init__(self, patterns: Iterable[Exclusion]) -> None:
        lines, self._expressions = list[str](), list[PathExpression]()
        for each in patterns:
            if isinstance(each, str):
                lines.append(each)
            else:
                self._expressions.append(each)
        self._spec = GitIgnoreSpec(each for line in lines for each in _compile(line))
        self.has_any = bool(self._spec) or bool(self._expressions)
        # Every scan of the tree asks for the same paths.
        self._match = lru_cache(MAX_PATHS)(self._find)

    def match(self, path: str) -> bool:
        """Whether a path is matched; that of a folder ends with a slash."""
        return self.has_any and self._match(path)

    def _find(self, path: str) -> bool:
        is_listed = any(each.match(path) for each in self._expressions)
        return is_listed or self._spec.match_file(path)


def _compile(line: str) -> Iterator[GitIgnoreSpecPattern]:
    bounded = _bound(line)
    if bounded != line and line.startswith("!"):
        # It would take back more than it says.
        return
    with warnings.catch_warnings():
        # Of Python's regular expressions, for signs in a set.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            patterns = GitIgnoreSpec.from_lines([bounded]).patterns
        except (ValueError, re.error):
            # No pattern of git.
            return
    yield from patterns


def _bound(line: str) -> str:
    """Return a pattern that leaves out at least the same, with few wildcards."""
    names = line.split("/")
    doubles = [at for at, name in enumerate(names) if name == "**"]
    if len(doubles) > MAX_WILDCARDS:
        names = names[: doubles[MAX_WILDCARDS] + 1]
    return "/".join(map(_bound_name, names))


def _bound_name(name: str) -> str:
    count = 0
    for part in _PART.finditer(name):
        count += part[0][0] == "*"
        if count > MAX_WILDCARDS:
            return f"{name[: part.start()]}*"
    return name


def list_ignored(root: Path, files: ConfigurationFiles) -> tuple[str, ...]:
    """Return the patterns of the `.gitignore` files in and below a repository's root.

    They are relative to the root.
    """
    patterns: list[str] = []
    for folder in _list_folders(root):
        path = root / folder / ".gitignore"
        text = files.read_text(path) if path.is_file() else None
        for line in (text or "").splitlines():
            patterns.extend(_place(line.strip(), folder))
        if len(patterns) > MAX_PATTERNS:
            files.note(path, f"only {MAX_PATTERNS:,} patterns are read")
            break
    return tuple(patterns[:MAX_PATTERNS])


def _list_folders(root: Path) -> Iterator[str]:
    """Yield folders breadth-first, relative to the root, "" for the root."""
    pending = [("", 0)]
    for number in range(MAX_FOLDERS):
        if number >= len(pending):
            return
        folder, depth = pending[number]
        yield folder
        if depth < MAX_DEPTH and len(pending) < MAX_FOLDERS:
            pending += ((below, depth + 1) for below in _list_below(root, folder))


def _list_below(root: Path, folder: str) -> list[str]:
    try:
        with os.scandir(root / folder) as entries:
            names = [
                entry.name
                for entry in entries
                if entry.name[0] != "." and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    names = sorted(name for name in names if name not in ("node_modules", "target"))
    return [f"{folder}/{name}" if folder else name for name in names]


def _place(line: str, folder: str) -> Iterator[str]:
    """Yield a pattern of a folder's file as one of the root."""
    if not line or line.startswith("#"):
        return
    if not folder:
        yield line
        return
    sign, body = ("!", line[1:]) if line.startswith("!") else ("", line)
    escaped = folder.translate({ord(c): f"\\{c}" for c in "\\*?["})
    is_anchored = "/" in body.rstrip("/")
    inner = body.lstrip("/") if is_anchored else f"**/{body}"
    yield f"{sign}/{escaped}/{inner}"
