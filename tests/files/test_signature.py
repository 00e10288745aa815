"""The cache key: every change of a file changes it."""

import os
from pathlib import Path

import pytest
from support.files import save_in_place, save_over

from asdlc_kb.files.signature import Signature


def signature(path: Path) -> Signature:
    """Return a file's current signature."""
    return Signature.of(os.stat(path))


def at(ctime: float) -> Signature:
    """Return a signature with a given time of its last change."""
    return Signature(0, int(ctime * 1e9), 1, 2, 3)


def test_a_signature_is_what_stat_says_of_the_content(tmp_path: Path) -> None:
    """D-064: the key is mtime, ctime, size, inode and device."""
    status = os.stat(save_in_place(tmp_path / "a", "text"))
    assert Signature.of(status) == Signature(
        mtime_ns=status.st_mtime_ns,
        ctime_ns=status.st_ctime_ns,
        size=4,
        inode=status.st_ino,
        device=status.st_dev,
    )


def test_files_share_their_device_and_equal_times(tmp_path: Path) -> None:
    """Not four numbers for each of 100,000 files."""
    one, other = (signature(save_in_place(tmp_path / name, "x")) for name in "ab")
    assert one.device is other.device
    alike = [each for each in (one, other) if each.mtime_ns == each.ctime_ns]
    assert all(each.mtime_ns is each.ctime_ns for each in alike)


def test_a_restored_mtime_and_the_same_size_still_change_it(tmp_path: Path) -> None:
    """D-064: an rsync or cp -p that keeps mtime and size is seen."""
    path = save_in_place(tmp_path / "a", "old text")
    os.utime(path, ns=(1_000_000_000, 1_000_000_000))
    before = signature(path)
    save_in_place(path, "new text")
    os.utime(path, ns=(1_000_000_000, 1_000_000_000))
    after = signature(path)
    assert (after.mtime_ns, after.size) == (before.mtime_ns, before.size)
    assert after != before


def test_a_file_written_in_place_stays_the_same_file(tmp_path: Path) -> None:
    """An in-place write keeps the inode; a rename over the file does not."""
    path = save_in_place(tmp_path / "a", "one")
    before = signature(path)
    assert before.is_same_file(signature(save_in_place(path, "two")))
    assert not before.is_same_file(signature(save_over(path, "three")))


@pytest.mark.parametrize(
    ("age", "still", "racy"),
    [
        (-60.0, False, True),
        (0.0, False, True),
        (0.09, False, True),
        (0.11, True, True),
        (1.99, True, True),
        (2.01, True, False),
        (1e6, True, False),
    ],
)
def test_age_decides_what_is_still_and_what_is_racy(
    age: float, still: bool, racy: bool
) -> None:
    """Settled after 100 ms, racy below 2 s; a clock that went back is neither error."""
    changed = 1_700_000_000.0
    assert at(changed).is_still(changed + age) is still
    assert at(changed).is_racy(changed + age) is racy
    assert at(changed).seconds_unchanged(changed + age) == pytest.approx(age, abs=1e-3)
