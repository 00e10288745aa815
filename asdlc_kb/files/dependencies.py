"""Files that a parsed file was made from in addition to itself, as included ones."""

import os
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from asdlc_kb.files.signature import Signature


class Dependency(NamedTuple):
    """A file at the moment when it was read."""

    path: str
    """Absolute."""
    signature: Signature | None
    """None if there was no such file."""

    def is_racy(self, now: float) -> bool:
        """Whether a later change may have left the same signature."""
        return self.signature is not None and self.signature.is_racy(now)


class DependencyCheck:
    """Compares dependencies with the disk, each file once."""

    def __init__(self) -> None:
        self._found: dict[str, Signature | None] = {}

    def are_current(self, dependencies: Iterable[Dependency]) -> bool:
        """Whether every file is as it was read."""
        return all(self._find(path) == known for path, known in dependencies)

    def _find(self, path: str) -> Signature | None:
        if path not in self._found:
            self._found[path] = sign_file(path)
        return self._found[path]


def are_unchanged(dependencies: Sequence[Dependency]) -> bool:
    """Whether every file is as it was read, and no change can have been missed."""
    now = time.time()
    is_racy = any(each.is_racy(now) for each in dependencies)
    return not is_racy and DependencyCheck().are_current(dependencies)


def sign_file(path: str) -> Signature | None:
    """Return the signature of a file, or None if it cannot be found."""
    try:
        return Signature.of(os.stat(path))
    except (OSError, ValueError):
        return None
