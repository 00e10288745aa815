"""The manifest of an index on disk."""

import json
import os
import tracemalloc
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.manifest import (
    Manifest,
    checksum_file,
    parse_manifest,
    read_manifest,
)

MANIFEST = Manifest(("1", "x"), 3, {"pages-3/a": "ff"}, {"k": (7, "0a", "fr")}, 8)


def test_a_manifest_is_read_as_it_was_written() -> None:
    """Every field."""
    assert parse_manifest(MANIFEST.to_json()) == MANIFEST


@pytest.mark.parametrize("name", asdict(MANIFEST))
@pytest.mark.parametrize("value", [None, "x", [1], {"k": 1}, {"k": [1, "zz"]}])
def test_a_field_of_another_shape_is_a_fault(name: str, value: object) -> None:
    """No other exception is raised."""
    fields = json.loads(MANIFEST.to_json())
    fields[name] = value
    with pytest.raises(IndexCorrupt):
        parse_manifest(json.dumps(fields, separators=(",", ":")).encode())


@given(st.binary() | st.recursive(st.none(), st.lists).map(lambda v: repr(v).encode()))
def test_what_is_no_manifest_is_a_fault(data: bytes) -> None:
    """Whatever the bytes."""
    with pytest.raises(IndexCorrupt):
        parse_manifest(data)


@given(st.data())
def test_a_flipped_bit_anywhere_is_noticed(data: st.DataObject) -> None:
    """The names of the documents are protected like their files."""
    kept = bytearray(MANIFEST.to_json())
    kept[data.draw(st.integers(0, len(kept) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(IndexCorrupt):
        parse_manifest(bytes(kept))


def test_another_value_is_told_from_nonsense() -> None:
    """An unsupported version is not read."""
    kept = MANIFEST.to_json().replace(b'"following":8', b'"following":9')
    with pytest.raises(IndexCorrupt, match="its manifest does not match its checksum"):
        parse_manifest(kept)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """In the place of the manifest, or of any file of an index."""
    os.mkfifo(tmp_path / "manifest.json")
    (tmp_path / "pages-1").mkdir()
    os.mkfifo(tmp_path / "pages-1" / "meta.json")
    with pytest.raises(IndexCorrupt, match="not belong to a search index"):
        read_manifest(tmp_path)
    with pytest.raises(IndexCorrupt, match="not belong to a search index"):
        checksum_file(tmp_path, (tmp_path / "pages-1",))


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """It could lead to anything."""
    (tmp_path / "else").write_bytes(MANIFEST.to_json())
    (tmp_path / "manifest.json").symlink_to("else")
    with pytest.raises(IndexCorrupt, match="not belong to a search index"):
        read_manifest(tmp_path)


def test_a_checksum_covers_every_file_but_locks(tmp_path: Path) -> None:
    """Their names and their content."""
    part = tmp_path / "pages-1"
    part.mkdir()
    (part / "a.term").write_bytes(b"one")
    (part / ".tantivy-writer.lock").write_bytes(b"")
    first = checksum_file(tmp_path, (part,))
    assert list(first) == ["pages-1/a.term"]
    (part / "a.term").write_bytes(b"two")
    assert checksum_file(tmp_path, (part,)) != first


def test_reading_a_manifest_takes_no_more_memory_than_it_has_bytes(
    tmp_path: Path,
) -> None:
    """The limit for manifests of very many documents is 512 MiB."""
    (tmp_path / "manifest.json").write_bytes(MANIFEST.to_json())
    tracemalloc.start()
    try:
        assert read_manifest(tmp_path) == MANIFEST.to_json()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2**20
