"""Anchors of a page, and what a link to one means."""

import msgspec
import pytest
from support.docs import raw_file

from asdlc_kb.docs.pages import page_anchors
from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.docs.pages.page_anchors import AnchorFinder

TEXT = """# Title

## Rate limits {#limits}

## Steps

> ## Steps
>
> ### Quoted

<a id="html"></a> <span class="x" name='named'>x</span> and a note[^n].

[^n]: Note.
"""


@pytest.fixture
def page() -> DocPage:
    """A page with anchors of each kind."""
    page = read_page(raw_file(TEXT)).value
    assert isinstance(page, DocPage)
    return page


@pytest.mark.parametrize(
    ("written", "anchor"),
    [
        *(("limits", "limits"), ("steps_1", "steps-1"), ("html", "html")),
        *(("named", "named"), ("Steps", "steps"), ("st%65ps", "steps")),
        ("Quoted", "quoted"),
        *(("steps:~:text=x", "steps"), ("none", "none"), ("", "")),
        *(("fn1", "fn1"), ("fnref1", "fnref1"), ("rate-limits", "rate-limits")),
        *(("fn:n", "fn1"), ("fnref:n", "fnref1"), ("fn:x", "fn:x")),
    ],
)
def test_an_anchor_is_one_of_the_page_or_stays(
    page: DocPage, written: str, anchor: str
) -> None:
    """Those of footnotes have numbers on the website."""
    assert AnchorFinder().find(page, written) == anchor


def test_a_heading_that_is_only_the_title_has_an_anchor() -> None:
    """Put on top of a page with a text that does not begin with one."""
    page = read_page(raw_file("---\ntitle: A page\n---\nText.\n")).value
    assert isinstance(page, DocPage)
    assert AnchorFinder().find(page, "A_Page") == "a-page"


def test_the_pages_read_for_a_text_are_bounded(
    page: DocPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they are cached or not; further anchors stay as they are written."""
    monkeypatch.setattr(page_anchors, "MAX_READ_CHARS", len(page.body))
    anchors = AnchorFinder()
    for path, expected in (("a.md", "steps"), ("b.md", "Steps"), ("a.md", "Steps")):
        other = msgspec.structs.replace(page, path=path)
        assert anchors.find(other, "Steps") == expected
