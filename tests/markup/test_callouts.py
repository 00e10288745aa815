"""Quotations that begin with a kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.callouts import KINDS
from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.plain_text import to_plain_text


def show(text: str) -> str:
    """Return a text as HTML without line ends."""
    return render(text).text.replace("\n", "")


@pytest.mark.parametrize("kind", KINDS)
def test_a_callout_has_its_kind_as_class_and_as_title(kind: str) -> None:
    """GitHub's five kinds, in any case."""
    expected = (
        f'<div class="markdown-alert markdown-alert-{kind}">'
        f'<p class="markdown-alert-title">{kind.capitalize()}</p><p>text</p></div>'
    )
    assert show(f"> [!{kind.upper()}]\n> text\n") == expected
    assert show(f"> [!{kind}]  \n> text\n") == expected


def test_a_title_is_markdown() -> None:
    """Of one line, with marks, code and links; its text is not repeated below."""
    shown = show("> [!TIP] Use *one* `x` [y](z)\n> text\n> - item\n")
    assert '<p class="markdown-alert-title">Use <em>one</em> <code>x</code> ' in shown
    assert '<a href="z">y</a></p><p>text</p><ul><li>item</li></ul></div>' in shown


@pytest.mark.parametrize(("fold", "state"), [("-", ""), ("+", ' open=""')])
def test_a_callout_can_be_collapsed(fold: str, state: str) -> None:
    """`-` is closed at first, `+` open; without a title it has its kind's name."""
    shown = show(f"> [!WARNING]{fold} Hot\n> text\n")
    assert shown == (
        f'<details class="markdown-alert markdown-alert-warning"{state}>'
        '<summary class="markdown-alert-title">Hot</summary><p>text</p></details>'
    )
    assert ">Warning</summary>" in show(f"> [!WARNING]{fold}\n> text\n")


@pytest.mark.parametrize(
    "text",
    [
        "> [!NOTE]Title\n> x",
        "> [!OTHER] Title\n> x",
        "> x\n> [!NOTE] Title",
        "> [!NOTE](a.md) Title",
        "> \\[!NOTE] Title",
        "[!NOTE] Title",
    ],
)
def test_other_quotations_are_quotations(text: str) -> None:
    """A kind without a blank behind it, an unknown one, one in the text."""
    assert "markdown-alert" not in render(text).text


def test_callouts_are_nested() -> None:
    """In each other, in lists, and after a paragraph."""
    shown = show("> [!NOTE] A\n> > [!TIP]- B\n> > x\n\n- > [!CAUTION] C\n  > y\n")
    assert shown.index(">A</p>") < shown.index(">B</summary><p>x</p></details></div>")
    assert ">C</p><p>y</p></div></li>" in shown
    assert show("para\n> [!NOTE] A\n> x").startswith("<p>para</p><div class=")


def test_the_search_text_of_a_callout_has_no_marks() -> None:
    """Its title is text like any other."""
    assert to_plain_text("> [!NOTE]- A *b*\n> c\n") == "A b c"


@given(
    st.lists(
        st.sampled_from(
            [">", " ", "[!NOTE]", "[!tip]", "-", "+", "a", "\n", "1.", "#"]
        ),
        max_size=20,
    ).map("".join)
)
def test_any_quotation_is_shown(text: str) -> None:
    """Elements are closed as they were opened."""
    shown = render(text).text
    for tag in ("div", "details", "summary", "blockquote"):
        assert shown.count(f"<{tag}") == shown.count(f"</{tag}>")
