"""The file of vectors: used only if it is intact and of the same versions."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import NEW_VECTORS, VECTORS
from asdlc_kb.search.semantic.section_vectors import PageVectors, encode_page
from asdlc_kb.search.semantic.vector_file import (
    VectorReport,
    inspect_vectors,
    make_identity,
    read_vectors,
    write_vectors,
)

IDENTITY = make_identity("model 1")
PAGES = [
    encode_page(b"one", [np.array([1, 0], np.float32)] * 2, 2),
    encode_page(b"none", [], 2),
    encode_page(b"two", [np.array([0.6, 0.8], np.float32)], 2),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with vectors."""
    write_vectors(tmp_path, IDENTITY, 2, PAGES)
    return tmp_path


def content(page: PageVectors) -> tuple[bytes, object, object]:
    """Return what a page has."""
    return page.digest, page.codes.tolist(), page.scales.tolist()


def test_what_was_written_is_read(folder: Path) -> None:
    """Each page with its own vectors; only the owner may read the file."""
    pages = read_vectors(folder, IDENTITY)
    assert list(map(content, pages.values())) == list(map(content, PAGES))
    assert (folder / VECTORS).stat().st_mode & 0o777 == 0o600
    assert not (folder / NEW_VECTORS).exists()
    assert inspect_vectors(folder, "model 1") == VectorReport(pages=3, sections=3)


def test_vectors_of_another_model_are_not_read(folder: Path) -> None:
    """Nor is a folder without any."""
    assert read_vectors(folder, make_identity("model 2")) == {}
    assert read_vectors(folder / "none", IDENTITY) == {}
    assert inspect_vectors(folder, "model 2") == VectorReport()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(at=st.floats(0, 1, exclude_max=True), to=st.binary(max_size=4))
def test_a_damaged_file_is_refused(folder: Path, at: float, to: bytes) -> None:
    """Any change of any bytes, or a shorter file."""
    write_vectors(folder, IDENTITY, 2, PAGES)
    data = (folder / VECTORS).read_bytes()
    start = int(at * len(data))
    changed = data[:start] + to + data[start + len(to) :] if to else data[:start]
    if changed == data:
        return
    (folder / VECTORS).write_bytes(changed)
    with pytest.raises(IndexCorrupt):
        read_vectors(folder, IDENTITY)
    assert inspect_vectors(folder, "model 1") == VectorReport()


def test_a_link_or_a_folder_is_refused(folder: Path) -> None:
    """Only a regular file is read."""
    (folder / VECTORS).rename(folder / "elsewhere")
    (folder / VECTORS).symlink_to(folder / "elsewhere")
    with pytest.raises(IndexCorrupt):
        read_vectors(folder, IDENTITY)
    (folder / VECTORS).unlink()
    (folder / VECTORS).mkdir()
    with pytest.raises(IndexCorrupt):
        read_vectors(folder, IDENTITY)


def test_a_failed_write_leaves_the_file_before(folder: Path) -> None:
    """And no partial one."""
    before = (folder / VECTORS).read_bytes()
    (folder / NEW_VECTORS).symlink_to(folder / "elsewhere")
    with pytest.raises(OSError):
        write_vectors(folder, IDENTITY, 2, PAGES[:1])
    assert (folder / VECTORS).read_bytes() == before
    assert not (folder / NEW_VECTORS).is_symlink()
    assert not (folder / "elsewhere").exists()
