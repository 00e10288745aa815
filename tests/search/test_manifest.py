"""What an index on disk says of itself."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.exceptions import IndexFault
from asdlc_kb.search.manifest import Manifest, checksum, parse_manifest

MANIFEST = Manifest(("1", "x"), 3, {"pages-3/a": "ff"}, {"k": (7, "0a")}, 8, 0)


def test_a_manifest_is_read_as_it_was_written() -> None:
    """Every field."""
    assert parse_manifest(MANIFEST.to_json()) == MANIFEST


@pytest.mark.parametrize("name", asdict(MANIFEST))
@pytest.mark.parametrize("value", [None, "x", [1], {"k": 1}, {"k": [1, "zz"]}])
def test_a_field_of_another_shape_is_a_fault(name: str, value: object) -> None:
    """Or it is read as what it can be; never is anything else raised."""
    fields = json.loads(MANIFEST.to_json())
    fields[name] = value
    try:
        parse_manifest(json.dumps(fields).encode())
    except IndexFault:
        return
    assert name in ("version", "files")


@given(st.binary() | st.recursive(st.none(), st.lists).map(lambda v: repr(v).encode()))
def test_what_is_no_manifest_is_a_fault(data: bytes) -> None:
    """Whatever the bytes."""
    with pytest.raises(IndexFault):
        parse_manifest(data)


def test_a_checksum_covers_every_file_but_locks(tmp_path: Path) -> None:
    """Their names and their content."""
    part = tmp_path / "pages-1"
    part.mkdir()
    (part / "a.term").write_bytes(b"one")
    (part / ".tantivy-writer.lock").write_bytes(b"")
    first = checksum(tmp_path, (part,))
    assert list(first) == ["pages-1/a.term"]
    (part / "a.term").write_bytes(b"two")
    assert checksum(tmp_path, (part,)) != first
