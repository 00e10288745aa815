"""Finding an artifact by what a caller calls it.

An exact name comes first, so that `mcp` never means `single-mcp-server`; then an exact
path, then the name in any case, then the end of a path. Never a part of a name: who
asks for what is not there gets nothing, and not its neighbour.
"""

import os
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar


class Named(Protocol):
    """Whatever can be asked for."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def path(self) -> str:
        """Where it is, as it is told."""
        ...


N = TypeVar("N", bound=Named)


def find_named(artifacts: Iterable[N], wanted: str) -> N | None:
    """Return the first artifact that is called so, or None."""
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
    """Whether a path ends with whole names, its last ending given or not."""
    bare = os.path.splitext(path)[0]
    return f"/{path}".endswith(f"/{wanted}") or f"/{bare}".endswith(f"/{wanted}")
