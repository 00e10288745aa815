"""The `stat` calls below a folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def recorded_stats(monkeypatch: pytest.MonkeyPatch, root: Path) -> Iterator[list[str]]:
    """Record the relative path of each `stat` below a root."""
    paths: list[str] = []
    real = os.stat

    def stat(path: Any, **fields: Any) -> os.stat_result:
        if str(path).startswith(str(root)):
            paths.append(str(path)[len(str(root)) + 1 :])
        return real(path, **fields)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", stat)
        yield paths
