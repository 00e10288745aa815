"""Artifact lookup by name or path.

An exact name comes first, so that `mcp` never means `single-mcp-server`; then an exact
path, then the name in any case, then the end of a path. A substring of a name never
matches: a request for a missing artifact finds nothing.
"""

import os
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar


class Named(Protocol):
    """An artifact with a name and a path."""

    @property
    def name(self) -> str:
        """The artifact's name."""
        ...

    @property
    def path(self) -> str:
        """The artifact's display path."""
        ...


N = TypeVar("N", bound=Named)


def find_named(artifacts: Iterable[N], wanted: str) -> N | None:
    """Return the first artifact that matches by the strictest test, or None."""
    candidates = list(artifacts)
    folded = wanted.casefold()
    tests: tuple[Callable[[N], bool], ...] = (
        lambda a: a.name == wanted,
        lambda a: a.path == wanted,
        lambda a: folded in (a.name.casefold(), _stem(a.path).casefold()),
        lambda a: _ends_with(a.path.casefold(), folded),
    )
    for test in tests:
        for artifact in candidates:
            if wanted and test(artifact):
                return artifact
    return None


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _ends_with(path: str, wanted: str) -> bool:
    """Whether a path ends with whole names, with or without the last suffix."""
    bare = os.path.splitext(path)[0]
    return f"/{path}".endswith(f"/{wanted}") or f"/{bare}".endswith(f"/{wanted}")
