"""The places of caches."""

from pathlib import Path

import pytest

from asdlc_kb.app.cache_folder import locate_index, locate_store
from asdlc_kb.settings import MEMORY, Settings


def test_each_root_has_an_index_and_a_store(tmp_path: Path) -> None:
    """Below the configured folder, with names of their own."""
    settings = Settings(cache_dir=str(tmp_path))
    index = locate_index(settings, "articles", [Path("/a")])
    store = locate_store(settings, "articles", "/a")
    assert index is not None
    assert store is not None
    assert index.parent == store.parent.parent == tmp_path
    assert store.parent.name == "parsed"
    assert store != locate_store(settings, "articles", "/b")
    assert store != locate_store(settings, "docs", "/a")


def test_without_a_folder_there_are_none() -> None:
    """Everything is in memory."""
    settings = Settings(cache_dir=MEMORY)
    assert locate_index(settings, "docs", [Path("/a")]) is None
    assert locate_store(settings, "docs", "/a") is None


def test_the_default_is_the_cache_folder_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As platforms define it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    store = locate_store(Settings(), "docs", "/a")
    assert store is not None
    assert store.is_relative_to(tmp_path)
