"""Attachments on the disk: which files are served, and that a version is read whole."""

import os
from pathlib import Path

import pytest
from support.pictures import make_png

from asdlc_kb.attachments import store as store_module
from asdlc_kb.attachments.file_types import MAX_PICTURE_BYTES
from asdlc_kb.attachments.store import (
    CHUNK_BYTES,
    Attachment,
    AttachmentStore,
    PathFilter,
)
from asdlc_kb.exceptions import AttachmentGone


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with pictures, and a secret next to it."""
    folder = tmp_path / "docs"
    (folder / "img").mkdir(parents=True)
    (folder / "img" / "a.png").write_bytes(make_png(40, 30))
    (folder / ".secret").mkdir()
    (folder / ".secret" / "s.png").write_bytes(make_png())
    (tmp_path / "outside.png").write_bytes(make_png())
    return folder


def find(root: Path, name: str) -> Attachment:
    """Return an attachment that must be there."""
    attachment = AttachmentStore((root,)).find(name)
    assert attachment is not None
    return attachment


def test_a_file_is_found_with_its_type_and_size(root: Path) -> None:
    """And read in full."""
    attachment = find(root, "img/a.png")
    data = make_png(40, 30)
    assert (attachment.type.media_type, attachment.size) == ("image/png", len(data))
    assert b"".join(attachment.read()) == data
    assert b"".join(attachment.read(3, 9)) == data[3:9]
    assert AttachmentStore((root,)).measure(attachment) == (40, 30)


def test_the_first_folder_with_a_name_has_the_file(root: Path, tmp_path: Path) -> None:
    """A generator's static files come after those of the tree."""
    static = tmp_path / "static"
    (static / "img").mkdir(parents=True)
    (static / "img" / "a.png").write_bytes(make_png(1, 1))
    (static / "img" / "b.png").write_bytes(make_png(2, 2))
    store = AttachmentStore((root, static, tmp_path / "none"))
    found = [store.find(f"img/{name}.png") for name in "abc"]
    assert [each and store.measure(each) for each in found] == [(40, 30), (2, 2), None]


def test_a_link_leads_only_to_what_may_be_served(root: Path, tmp_path: Path) -> None:
    """Inside the folder, not hidden, of the same type."""
    (root / "notes.txt").write_text("x")
    for name, target in {
        "good.png": "img/a.png",
        "outside.png": "../outside.png",
        "absolute.png": str(tmp_path / "outside.png"),
        "hidden.png": ".secret/s.png",
        "other.png": "notes.txt",
        "broken.png": "none.png",
        "loop.png": "loop.png",
        "device.png": "/dev/zero",
    }.items():
        (root / name).symlink_to(target)
    (root / "way").symlink_to(tmp_path)
    (root / "inner").symlink_to("img")
    (root / "round").symlink_to("../docs")
    store = AttachmentStore((root,))
    names = sorted(path.name for path in root.iterdir() if path.suffix == ".png")
    assert [name for name in names if store.find(name)] == ["good.png"]
    assert store.find("way/outside.png") is None
    assert store.find("inner/a.png") is not None
    assert store.find("round/round/img/a.png") is not None


def test_what_a_filter_matches_is_not_served(root: Path, tmp_path: Path) -> None:
    """In its own folder only, and not by a link either."""
    static = tmp_path / "static"
    for name in ("img/a.png", "img/b.png"):
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_bytes(make_png(1, 1))
    (root / "link.png").symlink_to("img/a.png")
    (root / "img" / "good.png").symlink_to("../c.png")
    (root / "c.png").write_bytes(make_png(2, 2))

    def make_filter(folder: Path) -> PathFilter:
        return lambda path: folder == root and path.startswith("img/")

    store = AttachmentStore((root, static), make_filter=make_filter)
    found = [store.find(f"{name}.png") for name in ("img/a", "img/b", "c", "link")]
    folders = [each and each.folder for each in found]
    assert folders == [static, static, root, None]
    assert store.find("img/good.png") is None


def test_only_regular_files_are_opened(root: Path) -> None:
    """A FIFO has no writer: opening it must not wait."""
    os.mkfifo(root / "fifo.png")
    (root / "folder.png").mkdir()
    store = AttachmentStore((root,))
    assert store.find("fifo.png") is None
    assert store.find("folder.png") is None


@pytest.mark.parametrize(
    "name",
    [
        *("../outside.png", "img/../../outside.png", "/img/a.png", "./img/a.png", ""),
        *(".secret/s.png", "img//a.png", "img/a.png/", "img/a.png\0", "img\\a.png"),
        *("img/%2e%2e/a.png", "img/a.html", "img/\ud800.png", "img/a.PNG"),
    ],
)
def test_no_other_spelling_is_a_name(root: Path, name: str) -> None:
    """Names are exact paths of visible files."""
    assert AttachmentStore((root,)).find(name) is None


def test_a_file_over_the_limit_is_not_served(root: Path) -> None:
    """Pictures have a lower limit than downloads."""
    for name in ("large.png", "large.zip"):
        with (root / name).open("wb") as file:
            file.truncate(MAX_PICTURE_BYTES + 1)
    store = AttachmentStore((root,))
    assert store.find("large.png") is None
    assert store.find("large.zip") is not None


def test_a_file_that_is_replaced_is_not_sent_as_the_one_found(
    root: Path, tmp_path: Path
) -> None:
    """Whatever it is replaced by: another file, a link to a secret, nothing."""
    path = root / "img" / "a.png"
    (root / "link").symlink_to(tmp_path / "outside.png")
    for new in ("new", "link"):
        path.unlink(missing_ok=True)
        path.write_bytes(make_png())
        (root / "new").write_bytes(make_png(9, 9))
        attachment = find(root, "img/a.png")
        (root / new).rename(path)
        with pytest.raises(AttachmentGone):
            next(attachment.read())
        assert AttachmentStore((root,)).measure(attachment) is None
    path.unlink()
    path.write_bytes(make_png())
    attachment = find(root, "img/a.png")
    path.unlink()
    with pytest.raises(AttachmentGone):
        next(attachment.read())


def test_a_file_that_shrinks_while_it_is_sent_is_not_completed(root: Path) -> None:
    """An error, not other bytes."""
    path = root / "img" / "a.zip"
    path.write_bytes(b"x" * (CHUNK_BYTES + 1))
    pieces = find(root, "img/a.zip").read()
    assert len(next(pieces)) == CHUNK_BYTES
    os.truncate(path, 10)
    with pytest.raises(AttachmentGone):
        next(pieces)


def test_a_version_has_its_own_tag(root: Path) -> None:
    """The same file has the same one."""
    first, again = find(root, "img/a.png"), find(root, "img/a.png")
    (root / "new").write_bytes(make_png(41, 30))
    (root / "new").rename(root / "img" / "a.png")
    assert first.etag == again.etag != find(root, "img/a.png").etag


def test_a_size_is_read_once_for_each_version(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages show the same picture often."""
    store, attachment = AttachmentStore((root,)), find(root, "img/a.png")
    assert store.measure(attachment) == (40, 30)
    monkeypatch.setattr(store_module, "read_size", lambda read: None)
    assert store.measure(attachment) == (40, 30)
    (root / "a.pdf").write_bytes(b"%PDF")
    assert store.measure(find(root, "a.pdf")) is None


def test_what_is_at_a_name_is_known_by_one_look(root: Path, tmp_path: Path) -> None:
    """In each folder; nothing is opened."""
    store = AttachmentStore((root, tmp_path))
    assert store.list_signatures("img/a.png") == (
        find(root, "img/a.png").signature,
        None,
    )
