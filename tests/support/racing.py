"""Links that replace a path at a chosen moment of the code under test."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def at_each_step(
    monkeypatch: pytest.MonkeyPatch, path: str, act: Callable[[int], object]
) -> Iterator[None]:
    """Call `act` with 0, 1, 2… before each access of the code to a path.

    Between two of them it makes no difference when the path changes.
    """
    count = 0
    is_acting = False
    names = set(path.split("/"))

    def is_about(path: object) -> bool:
        return isinstance(path, int) or not names.isdisjoint(str(path).split("/"))

    with monkeypatch.context() as patched:
        for name in ("open", "scandir", "readlink", "lstat", "stat"):
            real = getattr(os, name)

            def hooked(*args: Any, _real: Any = real, **kwargs: Any) -> Any:
                nonlocal count, is_acting
                if not is_acting and is_about(args[0]):
                    is_acting = True
                    act(count)
                    count += 1
                    is_acting = False
                return _real(*args, **kwargs)

            patched.setattr(os, name, hooked)
        yield


class Swap:
    """A path below a root, which a link to a target can replace."""

    def __init__(self, root: Path, path: str, target: Path) -> None:
        self._path = root / path
        self._kept = root.parent / "kept"
        self._target = target

    @property
    def is_out(self) -> bool:
        """Whether the link is in place."""
        return self._kept.exists()

    def put_out(self) -> None:
        """Put the link in place."""
        self._path.rename(self._kept)
        self._path.symlink_to(self._target)

    def put_back(self) -> None:
        """Restore the original."""
        self._path.unlink()
        self._kept.rename(self._path)


def swap_at_each_moment(
    monkeypatch: pytest.MonkeyPatch, swap: Swap, path: str, ask: Callable[[], object]
) -> Iterator[str]:
    """Yield what a call returns, as text: undisturbed, then with each moment's swap."""
    steps: list[int] = []
    with at_each_step(monkeypatch, path, steps.append):
        yield repr(ask())
    assert steps
    for moment in steps:

        def act(step: int, moment: int = moment) -> None:
            if step == moment:
                swap.put_out()

        with at_each_step(monkeypatch, path, act):
            seen = repr(ask())
        if swap.is_out:
            swap.put_back()
        yield seen
