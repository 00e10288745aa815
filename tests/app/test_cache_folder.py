"""The places of caches."""

from pathlib import Path

import pytest

from asdlc_kb.app.cache_folder import locate_index, locate_parsed_cache
from asdlc_kb.settings import MEMORY, Settings


def test_each_root_has_an_index_and_a_parsed_cache(tmp_path: Path) -> None:
    """Below the configured folder, with names of their own."""
    settings = Settings(cache_dir=str(tmp_path))
    index = locate_index(settings, "articles", [Path("/a")])
    parsed = locate_parsed_cache(settings, "articles", "/a")
    assert index is not None
    assert parsed is not None
    assert index.parent == parsed.parent.parent == tmp_path
    assert parsed.parent.name == "parsed"
    assert parsed != locate_parsed_cache(settings, "articles", "/b")
    assert parsed != locate_parsed_cache(settings, "docs", "/a")


def test_without_a_folder_there_are_none() -> None:
    """Everything is in memory."""
    settings = Settings(cache_dir=MEMORY)
    assert locate_index(settings, "docs", [Path("/a")]) is None
    assert locate_parsed_cache(settings, "docs", "/a") is None


def test_the_default_is_the_cache_folder_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As platforms define it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    parsed = locate_parsed_cache(Settings(), "docs", "/a")
    assert parsed is not None
    assert parsed.is_relative_to(tmp_path)
