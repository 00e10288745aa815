"""Pictures as MCP content: bounded, in the order of the text, the rest by name."""

import os
from base64 import b64decode
from pathlib import Path

import pytest
from support.pictures import make_png, make_svg

from asdlc_kb.attachments.referenced_files import (
    NO_FILES,
    ReferencedFiles,
    ReferringText,
)
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.providers.shared.pictures import (
    MAX_NAMED,
    MAX_PICTURE_BYTES,
    MAX_PICTURES,
    SentPictures,
    read_blob,
    read_pictures,
)


def send(root: Path, text: str) -> SentPictures:
    """Return the pictures of the one page of a tree."""
    files = ReferencedFiles(
        AttachmentStore((root,)), lambda: (ReferringText.of("index.md", text),)
    )
    return read_pictures(files, text, "index.md")


def test_pictures_are_sent_in_the_order_of_the_text(tmp_path: Path) -> None:
    """Each once, as its type; downloads are none."""
    (tmp_path / "a.png").write_bytes(make_png(1, 1))
    (tmp_path / "b.gif").write_bytes(b"GIF89a")
    (tmp_path / "c.pdf").write_bytes(b"%PDF")
    sent = send(tmp_path, "![](b.gif) ![](a.png) ![](/b.gif) [c](c.pdf) ![](no.png)")
    assert [image.mime_type for image in sent.images] == ["image/gif", "image/png"]
    assert b64decode(sent.images[1].data) == make_png(1, 1)
    assert sent.notes == ("Pictures, in order: b.gif, a.png.",)


def test_a_picture_is_sent_as_what_it_is(tmp_path: Path) -> None:
    """Models refuse a request with another type, or with a text."""
    (tmp_path / "a.png").write_bytes(b"\xff\xd8\xff\xe0")
    (tmp_path / "b.jpg").write_bytes(b"RIFF\0\0\0\nWEBP")
    (tmp_path / "c.png").write_text("version https://git-lfs.github.com/spec/v1\n")
    sent = send(tmp_path, "![](a.png) ![](b.jpg) ![](c.png)")
    assert [each.mime_type for each in sent.images] == ["image/jpeg", "image/webp"]
    assert sent.notes[1].startswith("Pictures not sent: c.png.")


def test_what_exceeds_the_limits_is_named(tmp_path: Path) -> None:
    """By number, by bytes, and by what models accept."""
    (tmp_path / "large.png").write_bytes(bytes(MAX_PICTURE_BYTES + 1))
    (tmp_path / "s.svg").write_bytes(make_svg(1, 1))
    names = [f"{number}.png" for number in range(MAX_PICTURES + MAX_NAMED)]
    for name in names:
        (tmp_path / name).write_bytes(make_png())
    text = " ".join(f"![]({name})" for name in ("large.png", "s.svg", *names))
    sent = send(tmp_path, text)
    assert len(sent.images) == MAX_PICTURES
    assert "Pictures not sent: large.png, s.svg, 4.png" in sent.notes[1]
    assert " and 2 more. At most 4 with 1,000,000 bytes" in sent.notes[1]


def test_all_pictures_together_have_a_limit(tmp_path: Path) -> None:
    """A smaller one may follow one that is left out."""
    for name, size in (("a", 600_000), ("b", 500_000), ("c", 400_000)):
        (tmp_path / f"{name}.png").write_bytes(
            b"\x89PNG\r\n\x1a\n" + os.urandom(size - 8)
        )
    sent = send(tmp_path, "![](a.png) ![](b.png) ![](c.png)")
    assert sent.notes[0] == "Pictures, in order: a.png, c.png."


def test_a_text_without_pictures_has_no_note(tmp_path: Path) -> None:
    """Nothing is said where nothing is left out."""
    assert send(tmp_path, "# A") == SentPictures((), ())
    assert read_pictures(NO_FILES, "![](a.png)", "a.md") == SentPictures((), ())


@pytest.mark.parametrize("is_there", [True, False])
def test_a_picture_is_read_as_a_resource(tmp_path: Path, *, is_there: bool) -> None:
    """None if it disappeared meanwhile."""
    file = tmp_path / "a.svg"
    file.write_bytes(make_svg(1, 1))
    found = AttachmentStore((tmp_path,)).find("a.svg")
    assert found is not None
    if not is_there:
        file.unlink()
    contents = read_blob(found, "kb://doc/a.svg")
    if is_there:
        assert contents is not None
        assert b64decode(contents.blob) == make_svg(1, 1)
        assert contents.mime_type == "image/svg+xml"
    else:
        assert contents is None
