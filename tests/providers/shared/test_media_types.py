"""The media type of a file, from its name."""

import pytest

from asdlc_kb.providers.shared.media_types import find_media_type


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("SKILL.md", "text/markdown"),
        ("a/b.README.MD", "text/markdown"),
        ("x.py", "text/x-python"),
        ("x.tar.gz", "application/gzip"),
        ("logo.PNG", "image/png"),
        ("md", None),
        ("Makefile", None),
        ("x.", None),
        ("x.unheard-of", None),
    ],
)
def test_the_last_ending_counts(name: str, media_type: str | None) -> None:
    """In any case; an unknown suffix has none."""
    assert find_media_type(name) == media_type
