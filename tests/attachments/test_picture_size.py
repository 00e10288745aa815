"""Sizes of pictures: right ones for each format, and none for anything else."""

import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.pictures import FORMATS, make_box, make_jpeg, make_png

from asdlc_kb.attachments.picture_size import MAX_SIDE, read_size

MAX_READ = 1024 * 1024
"""Bytes that may be read of any picture."""


class Read:
    """Reads a file, and counts the bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.count = 0

    def __call__(self, offset: int, count: int) -> bytes:
        """Return a range of the file."""
        assert offset >= 0 and count >= 0
        part = self._data[offset : offset + count]
        self.count += len(part)
        return part


def measure(data: bytes) -> tuple[int, int] | None:
    """Return the size of a picture; fail if too much of it is read."""
    read = Read(data)
    size = read_size(read)
    assert read.count <= MAX_READ
    return size


@pytest.mark.parametrize("name", FORMATS)
@given(width=st.integers(1, 16_000), height=st.integers(1, 16_000))
def test_the_size_of_each_format_is_read(name: str, width: int, height: int) -> None:
    """Both sides, whatever they are."""
    make = make_head if name == "png" else FORMATS[name]
    assert measure(make(width, height)) == (width, height)


def make_head(width: int, height: int) -> bytes:
    """Return the head of a PNG: a whole large one takes long to make."""
    head = make_png()
    return head[:16] + struct.pack(">II", width, height) + head[24:]


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_a_damaged_picture_has_a_plausible_size_or_none(
    name: str, data: st.DataObject
) -> None:
    """Cut off anywhere, and with any bytes replaced; nothing is raised."""
    picture = bytearray(FORMATS[name](40, 30))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(picture) - 1))
        picture[at] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(picture)))
    size = measure(bytes(picture[:end]))
    assert size is None or all(1 <= side <= MAX_SIDE for side in size)


@given(st.binary(max_size=300))
@example(b"")
@example(b"\xff\xd8" + b"\xff" * 500)
@example(b"\xff\xd8" + b"\xff\xe1\0\2" * 500)
@example(make_box(b"ftyp", b"avif") + make_box(b"meta", b"") * 2_000)
@example(b"\0\0\0\0ftyp" * 2_000)
def test_other_bytes_have_no_size_and_raise_nothing(data: bytes) -> None:
    """Any bytes, with the first ones of a format too."""
    for head in (b"", b"\xff\xd8", b"RIFF\0\0\0\0WEBP", b"\0\0\0\x08ftyp", b"<svg "):
        size = measure(head + data)
        assert size is None or all(1 <= side <= MAX_SIDE for side in size)


@pytest.mark.parametrize(
    ("orientation", "size"),
    [(1, (40, 30)), (6, (30, 40)), (8, (30, 40)), (9, (40, 30))],
)
def test_a_photograph_is_turned_as_its_camera_says(
    orientation: int, size: tuple[int, int]
) -> None:
    """Browsers turn it, so its sides are exchanged."""
    assert measure(make_jpeg(40, 30, orientation)) == size


@pytest.mark.parametrize(
    ("root", "size"),
    [
        ('<svg viewBox="0 0 40 30">', (40, 30)),
        ("<svg viewBox='0,0,40.4,30.2' width='100%' height='100%'>", (40, 30)),
        ('<svg width="80" viewBox="0 0 40 30">', (80, 60)),
        ('<svg height="60px" viewBox="0 0 40 30">', (80, 60)),
        ('<svg stroke-width="9" width="4" height="3">', (4, 3)),
        (
            '<!-- a --><!DOCTYPE svg [<!ENTITY a "b">]>\n<svg\nwidth="4"\nheight="3">',
            (4, 3),
        ),
        ('<svg width="10cm" height="10cm">', None),
        ('<svg width="999999" height="999999">', None),
        ('<svg width="0" height="0">', None),
        ('<svg viewBox="0 0 40 0">', None),
        ('<svg viewBox="nonsense">', None),
        ('<svg width="4" height="3"', None),
        ("<svg>", None),
    ],
)
def test_a_drawing_has_the_size_of_its_root(
    root: str, size: tuple[int, int] | None
) -> None:
    """Attributes in pixels, or the view box; other units and nonsense give none."""
    assert measure(f"{root}</svg>".encode()) == size


def test_a_gigantic_size_is_not_believed() -> None:
    """A browser would reserve the room."""
    assert measure(make_head(2**31, 3)) is None
