"""The number of open tags in raw HTML is bounded."""

import pytest

from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.html_tags import MAX_OPEN, OpenTags


def test_tags_up_to_the_bound_stay() -> None:
    """Usual texts are nested a few levels deep."""
    html = "<div>" * MAX_OPEN + "</div>" * MAX_OPEN
    assert OpenTags().bound(html * 3) == html * 3


def test_tags_beyond_the_bound_are_text() -> None:
    """Nothing is lost: further tags are shown as text."""
    tags = OpenTags()
    assert tags.bound("<div>" * MAX_OPEN + "<b>") == "<div>" * MAX_OPEN + "&lt;b>"
    assert tags.bound("</div><b><i>") == "</div><b>&lt;i>"


@pytest.mark.parametrize("unit", ["<br>", "<p>", "<li>", "<a name='b'>", "<tr><td>"])
def test_elements_that_end_by_themselves_are_not_counted(unit: str) -> None:
    """HTML: the next one of the kind ends them, without an end tag."""
    html = unit * MAX_OPEN * 2
    assert OpenTags().bound(html) == html


def test_they_are_counted_in_drawings() -> None:
    """HTML: in SVG, elements of these names are nested."""
    html = OpenTags().bound("<svg>" + "<a>" * MAX_OPEN)
    assert html.count("<a>") == MAX_OPEN - 1


def test_end_tags_of_other_elements_close_nothing() -> None:
    """HTML: an end tag without its element is ignored."""
    assert "&lt;b>" in OpenTags().bound("<b></i>" * (MAX_OPEN + 1))


def test_tags_in_comments_are_not_counted() -> None:
    """A comment holds no elements."""
    html = "<!-- <div> -->" * (MAX_OPEN + 1) + "<b>"
    assert OpenTags().bound(html) == html


def test_a_page_shows_the_tags_beyond_the_bound() -> None:
    """Blocks and lines count together."""
    text = "<div>\n" * MAX_OPEN + "\nsome <b>bold</b> words"
    assert "some &lt;b&gt;bold words" in render(text).text
