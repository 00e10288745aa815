"""Admonitions, details, tabs and generic blocks of PyMdown Extensions."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.pymdown_blocks import PYMDOWN_BLOCKS
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

BLOCKS = Dialect("blocks", PYMDOWN_BLOCKS)


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text with its blocks as GitHub's Markdown."""
    return translate(text, BLOCKS, output)


@pytest.mark.parametrize(
    ("first", "head"),
    [
        ("!!! note", "> [!NOTE]"),
        ('!!! danger "Do **not**"', "> [!CAUTION] Do **not**"),
        ('!!! info inline end "Side"', "> [!NOTE] Side"),
        ('!!! tip ""', "> [!TIP]"),
        ("!!!warning", "> [!WARNING]"),
        ("??? tip", "> [!TIP]-"),
        ('???+ example "See"', "> [!NOTE]+ See"),
        ('??? "Only a title"', "> [!NOTE]- Only a title"),
        ('!!! pied-piper "Pied"', "> [!NOTE] Pied"),
    ],
)
def test_an_admonition_is_a_callout(first: str, head: str) -> None:
    """Details are callouts that can be collapsed."""
    text = f"{first}\n    inside\n\n    more\n\nbelow"
    assert show(text) == f"{head}\n> inside\n>\n> more\n\nbelow"


def test_tabs_that_follow_each_other_are_one_group() -> None:
    """An exclamation mark begins another one."""
    text = '=== "A"\n\n    a\n\n=== "B `b`"\n\n    b\n\n===! "C"\n\n    c\n'
    assert show(text) == "**A**\n\na\n\n**B b**\n\nb\n\n**C**\n\nc\n"
    html = show(text, Output.HTML)
    assert html.count('<div class="tabs">') == 2
    assert "<summary>B b</summary>" in html


def test_blocks_are_in_each_other_and_in_lists() -> None:
    """With the indent of what they are in."""
    text = (
        '1.  item\n\n    !!! note\n\n        === "A"\n\n            ```py\n'
        "            !!! tip\n            ```\n"
    )
    assert show(text) == (
        "1.  item\n\n    > [!NOTE]\n    > **A**\n    >\n    > ```py\n    > !!! tip\n"
        "    > ```\n"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/// note | Title\n\ninside\n\n///", "> [!NOTE] Title\n> inside"),
        ("/// Warning\ninside\n///", "> [!WARNING]\n> inside"),
        (
            "/// admonition | Title\n    type: tip\n    attrs: {class: x}\ninside\n///",
            "> [!TIP] Title\n> inside",
        ),
        ("/// details | More\n\ninside\n///", "**More**\n\ninside"),
        (
            "/// details | More\n    type: warning\n    open: True\n\ninside\n///",
            "> [!WARNING]+ More\n> inside",
        ),
        ("/// html | div.cls\ninside\n///", "inside"),
        ("/// caption\nFigure of\n///", "Figure of"),
        ("/// define\nTerm\n\n- First\n\n  more\n///", "Term\n\n:   First\n\n    more"),
        ("/// version-added | v2.9\n///", "*Added in v2.9*"),
        (
            "/// deprecated-removed | v1 v2\nUse x.\n///",
            "> [!WARNING] Deprecated in v1 and removed in v2\n> Use x.",
        ),
        (
            "//// tab | A\n\n/// tip\na\n///\n\n////\n\n//// tab | B\n\nb\n////",
            "**A**\n\n> [!TIP]\n> a\n\n**B**\n\nb",
        ),
    ],
)
def test_a_generic_block_is_what_its_name_means(text: str, shown: str) -> None:
    """Callout, details, tabs, definitions, or its text."""
    assert show(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("Wow!!! note", "!!! ", "=== x", "======", "/// note\nnever closed", "///"),
        *("// a | b", "    !!! note", "```\n/// note\n///\n```", '!!! a "b" c'),
    ],
)
def test_similar_text_is_unchanged(text: str) -> None:
    """Headings, comments and code."""
    for output in Output:
        assert show(text, output) == text


def test_titles_and_labels_have_no_tags() -> None:
    """They are text in a tag of ours."""
    text = '=== "<b onclick=x>"\n\n    a\n'
    assert "<summary>&lt;b onclick=x&gt;</summary>" in show(text, Output.HTML)
    text = "/// details | <script>\na\n///"
    assert "<summary>&lt;script&gt;</summary>" in show(text, Output.HTML)
