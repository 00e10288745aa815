"""Small valid pictures of any size, and files that only pretend to be some."""

import struct
import zlib
from collections.abc import Callable, Mapping

from support.canary import CANARY


def make_png(width: int = 4, height: int = 3, text: bytes = b"") -> bytes:
    """Return a grey PNG, with a comment."""
    rows = (b"\0" + b"\x80" * width) * height
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"tEXt", b"Comment\0" + text),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def make_gif(width: int, height: int) -> bytes:
    """Return the head of a GIF."""
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0, 0, 0) + b";"


def make_jpeg(width: int, height: int, orientation: int = 0) -> bytes:
    """Return the head of a JPEG, with an EXIF block if it has an orientation."""
    blocks = [b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + bytes(9)]
    if orientation:
        entry = struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0)
        exif = b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4)
        blocks.append(b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif)
    frame = struct.pack(">HBHHB", 11, 8, height, width, 1) + bytes(3)
    return b"\xff\xd8" + b"".join(blocks) + b"\xff\xff\xc2" + frame + b"\xff\xd9"


def _make_webp(chunk: bytes, data: bytes) -> bytes:
    body = b"WEBP" + chunk + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def make_webp(width: int, height: int) -> bytes:
    """Return the head of a lossy WebP."""
    size = struct.pack("<HH", width, height)
    return _make_webp(b"VP8 ", b"\x30\x01\x00\x9d\x01\x2a" + size + bytes(20))


def make_lossless_webp(width: int, height: int) -> bytes:
    """Return the head of a lossless WebP."""
    bits = width - 1 | (height - 1) << 14
    return _make_webp(b"VP8L", b"\x2f" + struct.pack("<I", bits) + bytes(20))


def make_extended_webp(width: int, height: int) -> bytes:
    """Return the head of an extended WebP."""
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return _make_webp(b"VP8X", bytes(4) + sides + bytes(20))


def make_box(kind: bytes, data: bytes) -> bytes:
    """Return a box of an ISO base media file."""
    return struct.pack(">I", len(data) + 8) + kind + data


def make_avif(width: int, height: int) -> bytes:
    """Return the head of an AVIF with a thumbnail before the image."""
    sizes = [
        make_box(b"ispe", bytes(4) + struct.pack(">II", *sides))
        for sides in ((1, 1), (width, height))
    ]
    properties = make_box(b"iprp", make_box(b"ipco", b"".join(sizes)))
    head = make_box(b"hdlr", bytes(12))
    meta = make_box(b"meta", bytes(4) + head + properties)
    return make_box(b"ftyp", b"avif" + bytes(4)) + meta


def make_svg(width: int, height: int) -> bytes:
    """Return a drawing with a script that a browser must not run."""
    return (
        f'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" '
        f'width="{width}" height="{height}px"><script>window.stained = 1</script>'
        f'<rect width="{width}" height="{height}" fill="#555"/></svg>'
    ).encode()


FORMATS: Mapping[str, Callable[[int, int], bytes]] = {
    "png": make_png,
    "gif": make_gif,
    "jpeg": make_jpeg,
    "webp": make_webp,
    "lossless webp": make_lossless_webp,
    "extended webp": make_extended_webp,
    "avif": make_avif,
    "svg": make_svg,
}
"""Makers of a picture with a size, by its format."""

SECRET_PNG = make_png(text=CANARY.encode())
"""A picture that must not leave the server."""
