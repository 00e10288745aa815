"""Types of attachments: what is served, as what, and what never is."""

import pytest

from asdlc_kb.attachments.file_types import (
    FILE_TYPES,
    MAX_DOWNLOAD_BYTES,
    MAX_PICTURE_BYTES,
    AttachmentKind,
    find_type,
)


@pytest.mark.parametrize(
    "name",
    [
        *("a.html", "a.htm", "a.xhtml", "a.js", "a.mjs", "a.css", "a.xml", "a.xsl"),
        *("a.wasm", "a.swf", "a.jar", "a.svgz", "a.mht", "a.hta", "a.exe", "a.sh"),
        *("a.md", "a.mdx", "a.py", "a", "a.", ".png", "dir.png/a", "a.png.html", ""),
    ],
)
def test_what_a_browser_executes_is_not_served(name: str) -> None:
    """Neither is what has no listed suffix."""
    assert find_type(name) is None


@pytest.mark.parametrize(
    ("name", "media_type", "is_inline"),
    [
        ("img/A.PNG", "image/png", True),
        ("a.b.jpg", "image/jpeg", True),
        ("a.svg", "image/svg+xml", True),
        ("a.mp4", "video/mp4", True),
        ("a.pdf", "application/pdf", True),
        ("a.csv", "text/csv; charset=utf-8", False),
        ("a.tar.gz", "application/gzip", False),
    ],
)
def test_a_suffix_decides_on_type_and_display(
    name: str, media_type: str, is_inline: bool
) -> None:
    """In any case."""
    type = find_type(name)
    assert type is not None
    assert (type.media_type, type.is_inline) == (media_type, is_inline)


def test_no_type_is_one_that_browsers_run() -> None:
    """SVG alone has scripts: it is sent with a policy against them."""
    for suffix, type in FILE_TYPES.items():
        is_markup = any(word in type.media_type for word in ("html", "script", "xml"))
        assert not is_markup or suffix == "svg" or "openxmlformats" in type.media_type
        is_picture = type.kind is AttachmentKind.PICTURE
        assert type.max_bytes == (
            MAX_PICTURE_BYTES if is_picture else MAX_DOWNLOAD_BYTES
        )
