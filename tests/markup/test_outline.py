"""Headings with anchors, and links with their positions, in a Markdown text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.outline import Heading, OutlineLink, read_outline


def links(text: str) -> list[tuple[str, int, int]]:
    """Return destination, line and column of every link."""
    return [(link.href, link.line, link.column) for link in read_outline(text).links]


def test_headings_have_level_text_anchor_and_line() -> None:
    """ATX and underlined ones, in quotations and lists too; markup is not text."""
    outline = read_outline(
        "# One *more* `x()` & [two](a.md)\n\nUnder\nlined\n---\n\n"
        "> ## Quoted\n\n- ### Listed ###\n\n## ![alt](i.png) <b>Two</b> \\*\n"
    )
    assert outline.headings == (
        Heading(1, "One more x() & two", "one-more-x--two", 1),
        Heading(2, "Underlined", "underlined", 3),
        Heading(2, "Quoted", "quoted", 7),
        Heading(3, "Listed", "listed", 9),
        Heading(2, " Two *", "-two-", 11),
    )


def test_the_second_heading_of_a_name_has_another_anchor() -> None:
    """GitHub's suffixes, in the order of the text."""
    outline = read_outline("## Steps\n\n## Steps\n\n### steps\n")
    assert outline.anchors == {"steps", "steps-1", "steps-2"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See [x](a.md).", [("a.md", 1, 5)]),
        ("[x](<a b.md> 'title') [y](c.md)", [("a%20b.md", 1, 1), ("c.md", 1, 23)]),
        ("one\ntwo\n  three [x](a.md)", [("a.md", 3, 9)]),
        ("`a\nb` [x](a.md)", [("a.md", 2, 4)]),
        ("> > quoted\n> > [x](a.md)", [("a.md", 2, 5)]),
        ("1. item\n\n   more [x](a.md)", [("a.md", 3, 9)]),
        ("[x]\n\n[x]: a.md", [("a.md", 1, 1)]),
        ("[t][x] [X][]\n\n[x]: a.md#b", [("a.md#b", 1, 1), ("a.md#b", 1, 8)]),
        ("## On [x](a.md)", [("a.md", 1, 7)]),
        ("[![i](p.png)](a.md)", [("a.md", 1, 1)]),
        ("**[x](a.md)** [`c`](b.md)", [("a.md", 1, 3), ("b.md", 1, 15)]),
        (
            "| [x](a.md) | [x](a.md) |\n|--|--|\n| b | [y](c.md) |",
            [("a.md", 1, 3), ("a.md", 1, 15), ("c.md", 3, 7)],
        ),
        ("|a|b|\n|-|-|\n|`c|[x](a.md)`|", [("a.md", 3, 5)]),
        ("a\r\n[x](a.md)", [("a.md", 2, 1)]),
        ("\0 [x](a.md)", [("a.md", 1, 3)]),
        ("[x](#y) [z]()", [("#y", 1, 1), ("", 1, 9)]),
    ],
)
def test_a_link_is_found_where_it_begins(
    text: str, found: list[tuple[str, int, int]]
) -> None:
    """Line and column of the bracket in the text, whatever surrounds it."""
    assert links(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "`[x](a.md)`",
        "``[x](a.md) ` ``",
        "    [x](a.md)\n",
        "```md\n[x](a.md)\n```",
        "~~~\n[x](a.md)\n",
        "> ```\n> [x](a.md)\n> ```",
        "\\[x](a.md)",
        "![x](a.md)",
        "![an [x](a.md) image](i.png)",
        "[x][nowhere]",
        "[x](javascript:y)",
        "`<https://example.com/a.md>`",
        "https://example.com/a.md",
        "[x]: a.md",
        "<!-- [x](a.md) <a href='a.md'> -->",
        "<!-- <a href='a.md'>",
        "text <!-- <a href='a.md'> --> text",
    ],
)
def test_what_cannot_be_followed_is_no_link(text: str) -> None:
    """Not inside code; nor images, comments, and bare addresses."""
    assert links(text) == []


def test_an_address_in_angle_brackets_is_a_link() -> None:
    """CommonMark 6.5: an autolink, where it begins."""
    assert links("See <kb://article/a>.") == [("kb://article/a", 1, 5)]


def test_a_cell_with_an_escaped_bar_keeps_the_line_of_its_link() -> None:
    """Known gap: the parser removes the backslash, so the column is a guess."""
    assert [line for _, line, _ in links("|a|\n|-|\n|x\\|y [z](a.md)|")] == [3]


def test_headings_in_code_are_no_headings() -> None:
    """A shell comment is not an anchor."""
    outline = read_outline("```sh\n# no\n```\n\n    # no\n\n`# no`\n")
    assert outline.headings == ()


def test_raw_html_links_and_sets_anchors() -> None:
    """`href`, `id` and `name`, quoted or not, inline and in blocks."""
    outline = read_outline(
        'Go <a href="a.md">a</a> and <a HREF=b.md>b</a>.\n\n'
        "> <div id='here'>\n> <a\n>  name=there href='c.md'>\n> </div>\n\n"
        '<span data-id="no"><i id="">\n'
    )
    assert outline.links == (
        OutlineLink("a.md", 1, 7),
        OutlineLink("b.md", 1, 32),
        OutlineLink("c.md", 5, 15),
    )
    assert outline.anchors == {"here", "there", ""}


def test_an_empty_text_leads_nowhere() -> None:
    """The minimum."""
    outline = read_outline("")
    assert (outline.headings, outline.links, outline.anchors) == ((), (), frozenset())


WORDS = (
    "[ ]( ) x.md < > <a href= ` ``` - > | |-| # --- * ! \\ <!-- --> id=' &amp; [x]: é %"
).split()
BLANKS = ["\n", "\n\n", " ", "    ", "\t", "\r", "\0", "\u2028", "\ud800"]
SOUP = st.lists(st.sampled_from(WORDS + BLANKS), max_size=60).map("".join)


@given(st.one_of(st.text(), SOUP))
def test_reading_never_fails_and_places_are_in_the_text(text: str) -> None:
    """Any text at all has an outline."""
    outline = read_outline(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for link in outline.links:
        assert 1 <= link.line <= len(lines)
        assert 1 <= link.column <= len(lines[link.line - 1]) + 1
    for heading in outline.headings:
        assert 1 <= heading.line <= len(lines)
        assert heading.anchor in outline.anchors


@given(SOUP, st.integers(0, 3))
def test_a_link_after_any_paragraphs_is_found_on_its_line(text: str, gap: int) -> None:
    """The text above does not shift a link's position."""
    above = f"{text}\n\n" * gap
    outline = read_outline(f"{above}\n\nfin [x](the-end.md)\n")
    ends = [link for link in outline.links if link.href == "the-end.md"]
    lines = (above + "\n\n").replace("\r\n", "\n").replace("\r", "\n").count("\n")
    assert all((link.line, link.column) == (lines + 1, 5) for link in ends)


@pytest.mark.parametrize("text", ["[" * 5000, "![" * 3000, "> " * 5000, "[a](" * 2000])
def test_hostile_nesting_is_read(text: str) -> None:
    """D-139: depth is no recursion."""
    assert read_outline(text).links == ()


PICTURES = {
    "![a](b.png)": ("b.png", 1, 1),
    "x\n\n- ![a](<b c.png> 'd')": ("b%20c.png", 3, 3),
    "[![a](b.png)](c.md)": ("b.png", 1, 2),
    "x <img alt='' src='b.png'>": ("b.png", 1, 3),
    "<video controls src=b.mp4></video>": ("b.mp4", 1, 1),
    '<video>\n<source src="b.mp4">\n</video>': ("b.mp4", 2, 1),
    '<figure>\n  <img\n src="b.png">\n</figure>': ("b.png", 2, 3),
}


@pytest.mark.parametrize(("text", "picture"), PICTURES.items())
def test_pictures_are_found(text: str, picture: tuple[str, int, int]) -> None:
    """With their positions; a commented one is none."""
    assert read_outline(text).pictures == (OutlineLink(*picture),)
    assert read_outline(f"<!-- {text} -->").pictures == ()


def test_a_footnote_is_no_link_but_may_have_one() -> None:
    """Its links are where the note is written, also if nothing refers to it."""
    outline = read_outline("# A[^n]\n\n[^n]: Word\n\n[^m]: [a](b)\n\n[c](d)\n")
    found = [(link.href, link.line, link.column) for link in outline.links]
    assert found == [("b", 5, 7), ("d", 7, 1)]
    assert [heading.anchor for heading in outline.headings] == ["a"]
