"""Wikilinks to pages, headings and files, and embedded notes and pictures."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate
from asdlc_kb.markup.dialects.wikilinks import WIKILINK, find_embedded_notes

WIKI = Dialect("wiki", inlines=(WIKILINK,))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[[Page]]", "[Page](Page.md)"),
        ("[[a/My page|the text]]", "[the text](a/My%20page.md)"),
        ("[[Page#A b, c!]]", "[Page > A b, c!](Page.md#a-b-c)"),
        ("[[#Heading]]", "[Heading](#heading)"),
        ("[[Page#^block]]", "[Page](Page.md)"),
        ("[[report.pdf]]", "[report.pdf](report.pdf)"),
        ("[[Version 1.2]]", "[Version 1.2](Version%201.2.md)"),
        ("| [[a\\|b]] |\n| --- |", "| [b](a.md) |\n| --- |"),
        ("![[x y.png]]", "![x y](x%20y.png)"),
        ("![[x.png|An alt]]", "![An alt](x.png)"),
        ("![[x.png|300]]", "![x](x.png)"),
        ("![[sound.mp3]]", "[sound.mp3](sound.mp3)"),
        ("`[[a]]` [[]] [[ ]]", "`[[a]]` [[]] [[ ]]"),
    ],
)
def test_a_wikilink_is_a_link(text: str, shown: str) -> None:
    """Pages have the suffix of their files."""
    assert translate(text, WIKI, Output.MARKDOWN) == shown


def test_the_size_of_a_picture_is_kept_for_the_website() -> None:
    """Its name is escaped."""
    shown = translate("![[a'b.png|300x20]]", WIKI, Output.HTML)
    assert shown == '<img src="a&#x27;b.png" alt="a&#x27;b" width="300" height="20">'


def test_embedded_notes_are_includes() -> None:
    """Whole ones, or a section; files are none."""
    text = "![[A b]] ![[c.md#D#e]] ![[f#^g]] ![[h.png]] [[i]]"
    found = [(include.path, include.heading) for include in find_embedded_notes(text)]
    assert found == [("A b.md", ""), ("c.md", "e"), ("f.md", "")]
