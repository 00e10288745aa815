"""Callouts, tabs, details and cards in GitHub's Markdown and for the website."""

import pytest

from asdlc_kb.markup.dialects.constructs import (
    Tab,
    write_callout,
    write_card,
    write_details,
    write_tabs,
)
from asdlc_kb.markup.dialects.source import Output, Source


def make_source(output: Output) -> Source:
    """Return the source of a text of one line."""
    return Source(["x"], 0, output, lambda lines: lines)


@pytest.mark.parametrize(
    ("kind", "title", "head"),
    [
        ("note", "", "> [!NOTE]"),
        ("Note", "note", "> [!NOTE]"),
        ("hint", "Do this", "> [!TIP] Do this"),
        ("warning", "", "> [!WARNING]"),
        ("danger", "", "> [!CAUTION] Danger"),
        ("Example", "", "> [!NOTE] Example"),
        ("seealso", "", "> [!NOTE] See also"),
        ("warn", "", "> [!WARNING]"),
        ("primary", "", "> [!NOTE]"),
        ("success", "Done", "> [!TIP] Done"),
        ("pied-piper", "", "> [!NOTE] Pied-piper"),
        ("info", "a\nb", "> [!NOTE] a b"),
    ],
)
def test_a_callout_has_one_of_githubs_kinds(kind: str, title: str, head: str) -> None:
    """Its own kind is the title, where that says more than GitHub's."""
    assert write_callout(kind, title, ["", "x", "", "y", ""]) == [
        head,
        "> x",
        ">",
        "> y",
    ]


def test_a_callout_can_be_collapsed() -> None:
    """By the mark that Obsidian has."""
    assert write_callout("note", "T", [], fold="-") == ["> [!NOTE]- T"]


def test_tabs_are_titled_texts_for_agents() -> None:
    """A model reads all of them."""
    tabs = [Tab("pip", ["a"]), Tab("uv", ["b"])]
    lines = write_tabs(tabs, make_source(Output.MARKDOWN))
    assert "\n".join(lines) == "**pip**\n\na\n\n**uv**\n\nb"


def test_tabs_of_the_website_need_no_script() -> None:
    """A group of details of which one is open."""
    source = make_source(Output.HTML)
    tabs = [Tab("<pip>", ["a"]), Tab("uv", ["b"])]
    html = "\n".join(write_tabs(tabs, source))
    assert html.startswith('<div class="tabs">\n<details open>\n')
    assert "<summary>&lt;pip&gt;</summary>\n\na\n\n</details>" in html
    assert html.count(" open>") == 1


def test_details_are_a_titled_text_for_agents() -> None:
    """Nothing is hidden from them."""
    source = make_source(Output.MARKDOWN)
    assert write_details("More", ["", "x"], source) == ["**More**", "", "x"]
    html = write_details("More", ["x"], make_source(Output.HTML), is_open=True)
    assert html[:2] == ["<details open>", "<summary>More</summary>"]


@pytest.mark.parametrize(
    ("href", "lines", "written"),
    [
        ("a.md", ["Short."], ["- [T](a.md): Short."]),
        ("a.md", [], ["- [T](a.md)"]),
        ("a.md", ["- x", "- y"], ["- [T](a.md)", "", "  - x", "  - y"]),
        ("", ["Text"], ["**T**", "", "Text"]),
    ],
)
def test_a_card_is_a_link_with_a_text(
    href: str, lines: list[str], written: list[str]
) -> None:
    """Or a titled text without a link."""
    assert write_card("T", href, lines) == written
