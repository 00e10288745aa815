"""Attribute lists of headings, paragraphs and spans."""

import pytest
from support.cpu_time import bounded_cpu_time

from asdlc_kb.markup.dialects.attribute_lists import (
    ANNOTATED,
    ATTRIBUTE_LISTS,
    find_classes,
    find_id,
)
from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

LISTS = Dialect("lists", inlines=(ANNOTATED, *ATTRIBUTE_LISTS))


def show(text: str, output: Output = Output.MARKDOWN) -> str:
    """Return a text without attribute lists."""
    return translate(text, LISTS, output)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("## Words { #part }", "## Words {#part}"),
        ("## Words {#part .cls}", "## Words {#part}"),
        ("## Some words { #some-words }", "## Some words"),
        ("## Words {: #part }", "## Words {#part}"),
        ('## Words { id="1.2" }', "## Words {#1.2}"),
        ("## Words { .cls data-toc-label='W' } ##", "## Words"),
        ("## `code` {: .cls}", "## `code`"),
        ("## *A* `code` { #part }", "## *A* `code` {#part}"),
        ("Words { #part }\n---", "Words {#part}\n---"),
        ("## Words\n{: #part .no_toc }\ntext", "## Words {#part}\n\ntext"),
        ("## Words\n{: .no_toc }", "## Words\n"),
        ("> ## Words { #part }", "> ## Words {#part}"),
    ],
)
def test_of_the_attributes_of_a_heading_the_id_stays(text: str, shown: str) -> None:
    """It is the address of the section."""
    assert show(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[text](a.md){ .md-button }", "[text](a.md)"),
        ("[text](a.md 'Title'){target=_blank} more", "[text](a.md 'Title') more"),
        ('![](a.png){ width="300" loading=lazy }', "![](a.png)"),
        ("`code`{ .cls } and *so*{: .cls } on", "`code` and *so* on"),
        ("[text][ref]{ .cls }", "[text][ref]"),
        ("A paragraph.\n{: .cls #id }", "A paragraph.\n"),
        ("{ .cls }", ""),
    ],
)
def test_other_attributes_are_left_out(text: str, shown: str) -> None:
    """They are layout."""
    assert show(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("## Use {x}", "## {{ macro }}", "## A `{ #id }`", "f(x) { return }"),
        *("a set {a, b}", "text {.5}", "[x](y) {z}", "## Words \\{ #part }"),
        *("```\n## x { #id }\n```", "{{ .Site.Title }}", "{% if x %}", "x){a b}"),
    ],
)
def test_other_braces_are_text(text: str) -> None:
    """Sets, templates and code."""
    assert show(text) == text


def test_numbers_of_an_annotated_paragraph_stand_for_the_items_below() -> None:
    """The website shows them raised."""
    text = "So (1) it is.\n{ .annotate }\n\n1.  Why"
    assert show(text) == "So (1) it is.\n\n\n1.  Why"
    html = show(text, Output.HTML)
    assert html == "So <sup>(1)</sup> it is.\n\n\n1.  Why"


def test_an_attribute_list_has_an_id_and_classes() -> None:
    """Each may be missing."""
    assert find_id("{: .a #b c=d }") == "b"
    assert find_id("{ .a }") == ""
    assert find_classes("{ .a #b .c-d }") == ["a", "c-d"]


@pytest.mark.parametrize(
    "part", ["{ #a ", "## x { .a", "[x](y){ a=", "\n{ .a", "{ .a }", "## } ", ") { "]
)
def test_the_time_grows_with_the_length(part: str) -> None:
    """The patterns do not try a text again from each of its marks."""
    with bounded_cpu_time():
        show(part * (50_000 // len(part)), Output.HTML)
