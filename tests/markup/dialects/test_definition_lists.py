"""Definition lists."""

import pytest

from asdlc_kb.markup.dialects.definition_lists import DEFINITION_LIST, name_terms
from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.html_renderer import render

LISTS = Dialect("lists", blocks=(DEFINITION_LIST,))


@pytest.mark.parametrize(
    "text",
    [
        "Term\n:   Text",
        "Term\n:   Text\n:   Other text\n\nTerm\n:   Text\n    more",
        "One\nTwo\n:   Text\n\n    More\n\n    ```\n    :   code\n    ```",
    ],
)
def test_agents_get_definitions_as_written(text: str) -> None:
    """They are words in order."""
    assert translate(text, LISTS, Output.MARKDOWN) == text


def test_the_website_has_a_list_of_terms() -> None:
    """Terms and definitions are Markdown."""
    text = "`Term`\n\n:   Text *so*\n\n    - item\n\nOther\n: More\n\nafter"
    html = render(translate(text, LISTS, Output.HTML)).text
    assert html.replace("\n", "") == (
        "<dl><dt><p><code>Term</code></p></dt><dd><p>Text <em>so</em></p>"
        "<ul><li>item</li></ul></dd><dt><p>Other</p></dt><dd><p>More</p></dd></dl>"
        "<p>after</p>"
    )


@pytest.mark.parametrize(
    "text",
    [
        "A: b\nC: d",
        "# Heading\n\n:   text",
        "- item\n:   text",
        "Text\n\n:smile: more",
        "| a |\n:   text",
        "\n".join(["line"] * 20) + "\n:   text",
        "Words\n\n    :   code",
    ],
)
def test_other_colons_are_text(text: str) -> None:
    """Below headings, items and long paragraphs."""
    assert translate(text, LISTS, Output.HTML) == text


def test_an_indented_mark_begins_another_definition() -> None:
    """As many as a term has."""
    shown = translate("T\n  : A\n    b\n  : C", LISTS, Output.MARKDOWN)
    assert shown == "T\n:   A\n    b\n:   C"


def test_terms_can_have_ids() -> None:
    """As in goldmark: unique, and not those of headings."""
    text = "## One\n\n[`One`](#x)\n: A\n\nA *b*\n: B\n\n> C\n> : D\n\n!\n: E"
    html = render(name_terms(translate(text, LISTS, Output.HTML))).text
    ids = [part.partition('"')[0] for part in html.split('<dt id="')[1:]]
    assert ids == ["one-1", "a-b", "c"]


@pytest.mark.parametrize("text", ["Text", "```\n<dt>\n\nTerm\n```", "<dt>Term", "<dt>"])
def test_other_texts_get_no_ids(text: str) -> None:
    """Code is no list."""
    assert name_terms(text) == text
