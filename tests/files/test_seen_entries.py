"""Entries that a listing saw: whether a folder has others now."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from support.files import save_in_place, save_over

from asdlc_kb.files.article_listing import list_files
from asdlc_kb.files.seen_entries import find_changed_folders, trust_signatures
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_listing import list_tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with an article, a link and a file that is none."""
    root = tmp_path / "root"
    save_in_place(root / "a" / "x.md", "one")
    save_in_place(root / "a" / "notes.txt", "notes")
    save_in_place(tmp_path / "elsewhere.md", "elsewhere")
    (root / "a" / "link.md").symlink_to("../../elsewhere.md")
    return root


class Seen:
    """A listing, to compare with the disk."""

    def __init__(self, root: Path, *, is_tree: bool) -> None:
        self.root = root
        self.listing = list_tree(root) if is_tree else list_files(root)

    def compare(self, *, is_announced: bool = True) -> Mapping[str, Signature] | None:
        """Return the folders that changed, or None."""
        listing = self.listing
        return find_changed_folders(
            self.root, listing.folders, listing.seen, is_announced=is_announced
        )


@pytest.fixture(params=[False, True], ids=["articles", "tree"])
def seen(request: pytest.FixtureRequest, root: Path) -> Iterator[Seen]:
    """What a listing saw."""
    yield Seen(root, is_tree=request.param)


def test_nothing_changed_after_a_listing(seen: Seen) -> None:
    """Each folder has its signature."""
    assert seen.compare(is_announced=False) == {}


def test_a_save_through_a_temporary_file_changes_no_names(seen: Seen) -> None:
    """The folder's signature is another one, its names are the same."""
    save_over(seen.root / "a" / "x.md", "two")
    assert set(seen.compare() or ()) == {"a"}


def test_a_file_that_is_never_listed_changes_no_names(seen: Seen) -> None:
    """As a backup of an editor."""
    save_in_place(seen.root / "a" / "x.md~", "one")
    save_in_place(seen.root / "a" / ".x.md.swp", "one")
    assert set(seen.compare() or ()) == {"a"}


def test_a_folder_that_changed_without_an_event_is_to_be_scanned(seen: Seen) -> None:
    """A file in it may have been replaced without an event as well."""
    save_over(seen.root / "a" / "x.md", "two")
    assert seen.compare(is_announced=False) is None


@pytest.mark.parametrize(
    "name", ["a/new.md", "b/x.md", "a/..data/x.md", "a/below/x.md"]
)
def test_a_new_entry_is_to_be_scanned(seen: Seen, name: str) -> None:
    """A file, a folder, and the folder that a Kubernetes ConfigMap swaps."""
    save_in_place(seen.root / name, "new")
    assert seen.compare() is None


def test_a_deleted_file_is_to_be_scanned(seen: Seen) -> None:
    """Only a scan knows an unmounted folder from an emptied one."""
    (seen.root / "a" / "x.md").unlink()
    assert seen.compare() is None


def test_a_file_that_becomes_a_folder_is_to_be_scanned(seen: Seen) -> None:
    """The name is the same, its kind is not."""
    (seen.root / "a" / "x.md").unlink()
    (seen.root / "a" / "x.md").mkdir()
    # On a tmpfs two changes within a tick of the clock leave the same signature.
    os.utime(seen.root / "a", ns=(0, 0))
    assert seen.compare() is None


def test_a_changed_target_of_a_link_is_to_be_scanned(seen: Seen) -> None:
    """It lies where no event of the folder comes from."""
    save_over(seen.root.parent / "elsewhere.md", "another text")
    assert seen.compare() is None


def test_a_link_that_leads_elsewhere_is_to_be_scanned(seen: Seen) -> None:
    """Even if it leads nowhere."""
    (seen.root.parent / "elsewhere.md").unlink()
    assert seen.compare() is None


def test_a_folder_behind_a_link_may_change(tmp_path: Path, root: Path) -> None:
    """It is listed itself; only its identity is that of the link's target."""
    (tmp_path / "other").mkdir()
    (root / "b").symlink_to("../other")
    seen = Seen(root, is_tree=True)
    save_in_place(tmp_path / "other" / "notes.txt", "text")
    assert seen.compare() == {}


def test_a_replaced_folder_is_to_be_scanned(seen: Seen) -> None:
    """Its files have the same names and another content."""
    (seen.root / "a").rename(seen.root / "old")
    save_in_place(seen.root / "a" / "x.md", "two")
    save_in_place(seen.root / "a" / "notes.txt", "notes")
    (seen.root / "old" / "link.md").rename(seen.root / "a" / "link.md")
    (seen.root / "old" / "x.md").unlink()
    (seen.root / "old" / "notes.txt").unlink()
    (seen.root / "old").rmdir()
    assert seen.compare() is None


def test_a_missing_root_is_to_be_scanned(seen: Seen) -> None:
    """The scan reports it."""
    seen.root.rename(seen.root.parent / "away")
    assert seen.compare() is None


def test_a_signature_of_a_folder_that_just_changed_is_not_trusted(
    tmp_path: Path,
) -> None:
    """D-064: within a tick of the kernel's clock, a change leaves it equal."""
    signature = Signature.of(os.stat(tmp_path))
    changed = signature.ctime_ns / 1e9
    for started, now, expected in (
        (changed + 0.01, changed + 0.02, None),
        (changed + 1, changed + 2, signature),
        (changed - 1, changed - 0.5, signature),
    ):
        assert trust_signatures({"": signature}, started, now) == {"": expected}
