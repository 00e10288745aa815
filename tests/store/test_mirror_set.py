"""The mirrors of one folder: state, locks, names."""

import os
import shutil
import threading
import time
from pathlib import Path

import pytest
from support.processes import BOUND

from asdlc_kb.exceptions import OperationalError, StoreUnavailable
from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.values import SourceRecord

RECORD = SourceRecord("handbook", "docs", {"label": "team/docs"}, "", 7)


@pytest.fixture
def mirrors(tmp_path: Path) -> MirrorSet:
    """A set with one whole mirror."""
    mirrors = MirrorSet(tmp_path / "mirrors")
    with mirrors.writing(RECORD) as folder:
        folder.mkdir()
        mirrors.set_snapshot(RECORD, 7)
    return mirrors


def test_the_state_outlives_the_process(mirrors: MirrorSet, tmp_path: Path) -> None:
    """Another object, as of another process, reads the same sources."""
    other = MirrorSet(tmp_path / "mirrors")
    assert other.is_whole
    assert other.sources == mirrors.sources
    assert other.locate(RECORD).parts[-2:] == ("team", "docs")


def test_a_source_that_is_being_written_is_not_whole(mirrors: MirrorSet) -> None:
    """A writer that dies or fails leaves it so, and no scan reads it."""
    with mirrors.writing(RECORD):
        pass
    assert not mirrors.is_whole
    with pytest.raises(StoreUnavailable), mirrors.reading("handbook"):
        pass


def test_a_reader_waits_for_the_writer(mirrors: MirrorSet) -> None:
    """No scan sees half a snapshot."""
    seen: list[int | None] = []

    def read() -> None:
        with mirrors.reading("handbook"):
            source = mirrors.find("handbook")
            assert source is not None
            seen.append(source.snapshot)

    reading = threading.Thread(target=read)
    with mirrors.writing(RECORD):
        reading.start()
        assert not seen
        mirrors.set_snapshot(RECORD, 8)
    reading.join(BOUND)
    assert seen == [8]


def test_one_process_writes_at_a_time(mirrors: MirrorSet, tmp_path: Path) -> None:
    """Another one takes over as soon as it is released."""
    other = MirrorSet(tmp_path / "mirrors")
    assert mirrors.claim()
    assert mirrors.claim()
    assert not other.claim()
    mirrors.release()
    assert other.claim()
    other.release()


def test_a_removed_source_leaves_no_file(mirrors: MirrorSet) -> None:
    """Its folder and its place in the state are gone."""
    folder = mirrors.locate(RECORD)
    mirrors.remove("handbook")
    assert (mirrors.sources, folder.exists()) == ((), False)


@pytest.mark.parametrize("label", ["team/docs/new", "team", "other"])
def test_another_label_leaves_no_former_file(mirrors: MirrorSet, label: str) -> None:
    """Once the source has a snapshot with it: the former files may be withdrawn."""
    former = mirrors.locate(RECORD)
    record = SourceRecord("handbook", "docs", {"label": label}, "", 8)
    with mirrors.writing(record):
        pass
    assert former.exists()
    with mirrors.writing(record) as folder:
        folder.mkdir()
        mirrors.set_snapshot(record, 8)
    assert not former.exists()
    assert folder.exists()


def test_a_folder_that_is_none_is_reported(mirrors: MirrorSet, tmp_path: Path) -> None:
    """By everything that writes, as an error for the operator."""
    shutil.rmtree(tmp_path / "mirrors")
    (tmp_path / "mirrors").write_text("a file in its place")
    with pytest.raises(OperationalError, match="cannot be written"):
        mirrors.record_contact(is_current=True)
    with pytest.raises(OperationalError, match="cannot be written"):
        mirrors.claim()
    with pytest.raises(OperationalError, match="cannot be written"):
        mirrors.set_snapshot(RECORD, 8)


def test_a_claim_is_lost_with_its_folder(mirrors: MirrorSet, tmp_path: Path) -> None:
    """The process that locks the new folder first writes it."""
    assert mirrors.claim()
    shutil.rmtree(tmp_path / "mirrors")
    other = MirrorSet(tmp_path / "mirrors")
    assert other.claim()
    assert not mirrors.claim()
    other.release()
    assert mirrors.claim()


def test_a_label_leads_out_of_no_folder(mirrors: MirrorSet) -> None:
    """A database is input too."""
    for label in ("../up", "/etc", "a/../../b"):
        record = SourceRecord("x", "docs", {"label": label}, "", 1)
        with pytest.raises(OperationalError):
            mirrors.locate(record)


def test_the_ages_are_those_of_all_processes(
    mirrors: MirrorSet, tmp_path: Path
) -> None:
    """Of the contact, and of the content. Unknown before the first ones."""
    assert mirrors.contact_age is mirrors.content_age is None
    mirrors.record_contact(is_current=False)
    other = MirrorSet(tmp_path / "mirrors")
    assert other.contact_age is not None
    assert other.content_age is None
    mirrors.record_contact(is_current=True)
    for age in (other.contact_age, other.content_age):
        assert age is not None
        assert 0 <= age < BOUND


def test_a_clock_that_was_set_back_hides_no_outage(
    mirrors: MirrorSet, tmp_path: Path
) -> None:
    """D-098: a contact in the future is not one of this moment; the content is kept."""
    mirrors.record_contact(is_current=True)
    later = time.time() + 3600
    for name in ("contact", "current"):
        os.utime(tmp_path / "mirrors" / name, (later, later))
    assert mirrors.contact_age is not None and mirrors.contact_age > BOUND
    assert mirrors.content_age == 0
    mirrors.record_contact(is_current=False)
    assert mirrors.contact_age < BOUND


def test_a_damaged_state_is_none(mirrors: MirrorSet, tmp_path: Path) -> None:
    """The mirrors are written again then."""
    (tmp_path / "mirrors" / "state.json").write_text("[")
    assert MirrorSet(tmp_path / "mirrors").sources == ()


def test_no_state_has_the_time_of_a_former_one(
    mirrors: MirrorSet, tmp_path: Path
) -> None:
    """Also within a tick of the clock: it can have the inode of a former one."""
    path = tmp_path / "mirrors" / "state.json"
    later = time.time_ns() + 60_000_000_000
    os.utime(path, ns=(later, later))
    times = []
    for number in (8, 9):
        mirrors.set_snapshot(RECORD, number)
        times.append(path.stat().st_mtime_ns)
    assert times == [later + 1, later + 2]
    assert [each.snapshot for each in mirrors.sources] == [9]
