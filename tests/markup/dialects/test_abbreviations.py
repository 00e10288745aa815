"""Abbreviations and their expansions."""

from asdlc_kb.markup.dialects.abbreviations import (
    MAX_ABBREVIATIONS,
    expand_abbreviations,
)
from asdlc_kb.markup.dialects.source import Output

TEXT = """# HTML

HTML and `HTML` in [HTML](HTML.md).

    HTML

HTML again.

*[HTML]: Hyper "Text" <Markup>
"""


def test_agents_get_the_expansion_of_the_first_use() -> None:
    """Not in headings, code and links; definitions are left out."""
    shown = expand_abbreviations(TEXT, Output.MARKDOWN)
    assert shown == TEXT.replace(
        "HTML and", 'HTML (Hyper "Text" <Markup>) and'
    ).replace('*[HTML]: Hyper "Text" <Markup>\n', "")


def test_the_website_has_it_at_each_use() -> None:
    """As the title of a tag, escaped."""
    shown = expand_abbreviations(TEXT, Output.HTML)
    tag = '<abbr title="Hyper &quot;Text&quot; &lt;Markup&gt;">HTML</abbr>'
    assert shown.count("<abbr") == 2
    assert f"{tag} and `HTML` in [HTML](HTML.md)." in shown
    assert "*[" not in shown


def test_only_whole_words_are_abbreviations() -> None:
    """The longest one is taken."""
    text = "*[API]: a\n*[REST API]: b\nAPIs, REST API, API"
    shown = expand_abbreviations(text, Output.MARKDOWN)
    assert shown == "APIs, REST API (b), API (a)"


def test_a_definition_in_code_is_code() -> None:
    """Documentation shows how it is written."""
    text = "```\n*[HTML]: x\n```\nHTML"
    assert expand_abbreviations(text, Output.HTML) == text


def test_the_number_of_abbreviations_is_bounded() -> None:
    """Further ones are not applied."""
    numbers = range(MAX_ABBREVIATIONS + 1)
    text = "\n".join(f"*[A{n}]: x" for n in numbers) + f"\nA0 A{MAX_ABBREVIATIONS}"
    shown = expand_abbreviations(text, Output.MARKDOWN)
    assert shown == f"A0 (x) A{MAX_ABBREVIATIONS}"
