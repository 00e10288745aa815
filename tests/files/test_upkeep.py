"""A domain's catalog in step with the disk, whatever the domain is."""

import logging
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.cache import Shelf
from support.files import save_in_place, save_over

from asdlc_kb.files.snapshot import Snapshot
from asdlc_kb.files.upkeep import Upkeep


class Words:
    """A catalog: the texts of a snapshot."""

    def __init__(self, snapshot: Snapshot[str]) -> None:
        self.snapshot = snapshot
        self.is_warm = False

    @property
    def texts(self) -> list[str | None]:
        """The texts in path order."""
        return [entry.value for _, entry in sorted(self.snapshot.entries.items())]

    def follow(self, snapshot: Snapshot[str]) -> "Words":
        """Return the next catalog."""
        return Words(snapshot)

    def warm(self) -> None:
        """Note that it was made ready."""
        self.is_warm = True

    def count(self) -> Mapping[str, int]:
        """Return how many there are."""
        return {"words": len(self.texts)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with one file."""
    save_in_place(tmp_path / "a" / "x.md", "one")
    return tmp_path


def kept(root: Path) -> Upkeep[str, Words]:
    """Return a loaded upkeep of a root."""
    cache = Shelf(root).cache
    upkeep = Upkeep(cache, Words(cache.snapshot))
    upkeep.load()
    return upkeep


async def test_listeners_are_told_once_the_later_catalog_is_in_force(
    root: Path,
) -> None:
    """Worked out where it was found, told when it can be asked for (design)."""
    upkeep = kept(root)
    seen: list[object] = []

    def listen(before: Words, after: Words):
        seen.append((before.texts, after.texts))
        return lambda: seen.append(upkeep.catalog is after)

    upkeep.listen(listen)
    save_over(root / "a" / "x.md", "two")
    update = upkeep.look()
    assert seen == [(["one"], ["two"])]
    assert upkeep.catalog.texts == ["one"]
    assert update.catalog.is_warm
    upkeep.publish(update)
    assert seen[1:] == [True]
    upkeep.publish(upkeep.look())
    assert len(seen) == 2


async def test_a_late_look_does_not_undo_a_newer_one(root: Path) -> None:
    """Somebody published in the meantime: the look is worked out anew."""
    upkeep = kept(root)
    save_over(root / "a" / "x.md", "two")
    late = upkeep.look()
    save_over(root / "a" / "x.md", "three")
    assert (await upkeep.refresh(["a/x.md"])).texts == ["three"]
    upkeep.publish(late)
    assert upkeep.catalog.texts == ["three"]


def test_a_change_is_logged_with_the_numbers_of_the_domain(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One line a change, and it names no file (canaries in logs)."""
    with caplog.at_level(logging.INFO, "asdlc_kb"):
        kept(root)
    (record,) = caplog.records
    assert record.getMessage() == "content changed"
    assert (record.generation, record.words) == (1, 1)  # type: ignore[attr-defined]
