"""Width and height of a picture, read from the head of its file.

Reads a bounded number of bytes and returns None for whatever it does not understand:
pictures are untrusted (D-149). It decodes no pixel.
"""

import re
import struct
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

MAX_SIDE: Final = 100_000
"""Pixels of the longer side; a larger size is not believed."""

MAX_SEGMENTS: Final = 200
"""Segments of a JPEG file, or boxes of an AVIF file, that are read."""

_HEAD_BYTES: Final = 64
_MARKUP_BYTES: Final = 16 * 1024
"""Bytes of an SVG file in which its root element is searched."""
_BOX_BYTES: Final = 64 * 1024
"""Bytes of an AVIF file's metadata, and of a JPEG file's EXIF block, that are read."""

ReadBytes: TypeAlias = Callable[[int, int], bytes]
"""Returns up to that many bytes from an offset of a file; fewer at its end."""

_ROOT: Final = re.compile(r"<svg\b([^<>]{0,8000})>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r"(?:^|\s)(width|height|viewBox)\s*=\s*[\"']([^\"']*)")
_LENGTH: Final = re.compile(r"\s*(\d{1,6}(?:\.\d{1,9})?)(?:px)?\s*")
_NUMBERS: Final = re.compile(r"-?\d{1,6}(?:\.\d{1,9})?")

_START_OF_FRAME: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers of a segment with the size (ITU-T T.81, table B.1)."""
_NO_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers of a segment without a length."""
_EXIF: Final = b"Exif\0\0"
_ORIENTATION: Final = 0x0112
_CONTAINERS: Final = {b"meta": 4, b"iprp": 0, b"ipco": 0}
"""AVIF boxes that contain others, with the bytes before the first (ISO 14496-12)."""


class PictureSize(NamedTuple):
    """A size in CSS pixels, both at least 1."""

    width: int
    height: int


def read_size(read: ReadBytes) -> PictureSize | None:
    """Return the size of a picture in PNG, JPEG, GIF, WebP, AVIF or SVG, or None."""
    head = read(0, _HEAD_BYTES)
    try:
        sides = _read_sides(head, read)
    except (struct.error, ValueError, IndexError):
        return None
    if sides is None or not all(1 <= side <= MAX_SIDE for side in sides):
        return None
    return PictureSize(*map(round, sides))


def _read_sides(head: bytes, read: ReadBytes) -> tuple[float, float] | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return _unpack(">II", head, 16)
    if head.startswith((b"GIF87a", b"GIF89a")):
        return _unpack("<HH", head, 6)
    if head.startswith(b"\xff\xd8"):
        return _read_jpeg(read)
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _read_webp(head)
    if head[4:8] == b"ftyp":
        sizes = list(_find_sizes(read(0, _BOX_BYTES)))
        return max(sizes, key=lambda size: size[0] * size[1], default=None)
    return _read_svg(read(0, _MARKUP_BYTES).decode("utf-8", "replace"))


def _unpack(format: str, data: bytes, offset: int) -> tuple[int, int]:
    first, second = struct.unpack_from(format, data, offset)
    return first, second


def _read_jpeg(read: ReadBytes) -> tuple[int, int] | None:
    """Return the size in the first frame header, turned as EXIF says."""
    at, is_turned = 2, False
    for _ in range(MAX_SEGMENTS):
        segment = read(at, 18)
        if segment[0] != 0xFF:
            return None
        marker = segment[1]
        if marker == 0xFF:
            at += 1
        elif marker in _NO_LENGTH:
            at += 2
        elif marker in _START_OF_FRAME:
            height, width = _unpack(">HH", segment, 5)
            return (height, width) if is_turned else (width, height)
        else:
            (length,) = struct.unpack_from(">H", segment, 2)
            if marker == 0xE1 and segment[4:10] == _EXIF:
                is_turned = _is_turned(read(at + 10, min(length, _BOX_BYTES)))
            at += 2 + length
    return None


def _is_turned(exif: bytes) -> bool:
    """Whether the orientation in an EXIF block exchanges width and height."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None:
        return False
    try:
        (start,) = struct.unpack_from(f"{order}I", exif, 4)
        (count,) = struct.unpack_from(f"{order}H", exif, start)
        for number in range(min(count, MAX_SEGMENTS)):
            tag, _, _, value = struct.unpack_from(
                f"{order}HHIH", exif, start + 2 + 12 * number
            )
            if tag == _ORIENTATION:
                return value in (5, 6, 7, 8)
    except struct.error:
        return False
    return False


def _read_webp(head: bytes) -> tuple[int, int] | None:
    """Return the size in the first chunk (RFC 9649)."""
    match head[12:16]:
        case b"VP8 " if head[23:26] == b"\x9d\x01\x2a":
            width, height = _unpack("<HH", head, 26)
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L" if head[20] == 0x2F:
            (bits,) = struct.unpack_from("<I", head, 21)
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            width = int.from_bytes(head[24:27], "little")
            height = int.from_bytes(head[27:30], "little")
            return width + 1, height + 1
        case _:
            return None


def _find_sizes(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the sizes of the images in an AVIF file: alpha and thumbnails too."""
    ranges = [(0, len(data))]
    for _ in range(MAX_SEGMENTS):
        if not ranges:
            return
        at, end = ranges.pop()
        if at + 8 > end:
            continue
        (length,) = struct.unpack_from(">I", data, at)
        kind = data[at + 4 : at + 8]
        below = at + length if length >= 8 else end
        ranges.append((below, end))
        if kind == b"ispe":
            yield _unpack(">II", data, at + 12)
        elif kind in _CONTAINERS:
            ranges.append((at + 8 + _CONTAINERS[kind], min(below, end)))


def _read_svg(text: str) -> tuple[float, float] | None:
    """Return the size of the root element: its attributes, or else its view box."""
    root = _ROOT.search(text)
    if root is None:
        return None
    values = {name.lower(): value for name, value in _ATTRIBUTE.findall(root[1])}
    width = _LENGTH.fullmatch(values.get("width", ""))
    height = _LENGTH.fullmatch(values.get("height", ""))
    if width and height:
        return float(width[1]), float(height[1])
    box = [float(number) for number in _NUMBERS.findall(values.get("viewbox", ""))]
    if len(box) != 4 or min(box[2:]) <= 0:
        return None
    if width or height:
        # The other side follows from the view box.
        ratio = box[2] / box[3]
        if width:
            return float(width[1]), float(width[1]) / ratio
        if height:
            return float(height[1]) * ratio, float(height[1])
    return box[2], box[3]
