"""The sections of a Markdown text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.outline import read_outline
from asdlc_kb.markup.sections import find_first_heading, split_sections

TEXT = """Before.

# One `x` *y*

Under one.

```md
# Not a heading
```

Two
lines
---
Under two.

- ### In a list

> # Quoted

## One x y
The end"""


def test_a_section_runs_from_its_heading_to_the_next() -> None:
    """At every heading outside code and quotations, ATX or underlined, with lines."""
    assert [
        (s.heading, s.anchor, s.level, s.first, s.last, s.heading_lines)
        for s in split_sections(TEXT)
    ] == [
        ("", "", 0, 1, 2, 0),
        ("One x y", "one-x-y", 1, 3, 10, 1),
        ("Twolines", "twolines", 2, 11, 15, 3),
        ("In a list", "in-a-list", 3, 16, 19, 1),
        ("One x y", "one-x-y-1", 2, 20, 21, 1),
    ]


def test_what_stands_below_a_heading_is_given_apart() -> None:
    """An underlined heading has two lines or more."""
    before, one, two, _, last = split_sections(TEXT)
    assert before.below == before.markdown == "Before.\n\n"
    assert one.below == "\nUnder one.\n\n```md\n# Not a heading\n```\n\n"
    assert two.below == "Under two.\n\n"
    assert last.below == "The end"


def test_a_text_without_headings_is_one_section() -> None:
    """And one without a line has none."""
    assert [s.markdown for s in split_sections("a\r\nb")] == ["a\nb"]
    assert split_sections("") == ()


@pytest.mark.parametrize(
    ("line", "heading", "anchor"),
    [
        ("## Set it up {#setup}", "Set it up", "setup"),
        ("## Link to [it](a.md)", "Link to it", "link-to-it"),
        ("## " + "[" * 5_000 + "x", "[" * 5_000 + "x", "x"),
        ("##", "", ""),
    ],
)
def test_a_heading_is_read_as_words(line: str, heading: str, anchor: str) -> None:
    """Its markup is not text; it may state its anchor itself."""
    (section,) = split_sections(line)
    assert (section.heading, section.anchor) == (heading, anchor)


def test_a_text_that_the_grammar_fails_at_is_split() -> None:
    """An unfinished quotation below an open comment or tag, at the end."""
    text = "Under\n===\n> - <!-- x\n>"
    assert [s.heading for s in split_sections(text)] == ["Under"]
    assert [h.text for h in read_outline(text).headings] == ["Under"]


MARKDOWN = st.text(
    alphabet=st.sampled_from("ab \n\r\t`*_[](){}<>!#-=|\\&:/~1.\0\u2028é"), max_size=300
)


@given(MARKDOWN)
def test_sections_joined_are_the_text(text: str) -> None:
    """Without a gap, in order, whatever the text; lines count on."""
    sections = split_sections(text)
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    assert "".join(section.markdown for section in sections) == whole
    following = 1
    for section in sections:
        assert section.first == following <= section.last
        assert section.markdown.endswith(section.below)
        following = section.last + 1


@given(MARKDOWN.filter(lambda text: ">" not in text))
def test_sections_have_the_headings_of_the_outline(text: str) -> None:
    """A link that `check` accepts leads to a section that exists."""
    headings = [
        (s.level, s.heading, s.anchor, s.first) for s in split_sections(text) if s.level
    ]
    outline = read_outline(text).headings
    assert headings == [(h.level, h.text, h.anchor, h.line) for h in outline]


@pytest.mark.parametrize(
    ("heading", "words", "anchor"),
    [
        ("A {#b}", "A", "b"),
        ("A {#b} \t", "A", "b"),
        ("A {#b c}", "A {#b c}", "a-b-c"),
        ("A {#}", "A {#}", "a-"),
        ("A {#b} c", "A {#b} c", "a-b-c"),
        ("A {#b} {#c}", "A {#b}", "c"),
    ],
)
def test_a_heading_may_give_itself_an_anchor(
    heading: str, words: str, anchor: str
) -> None:
    """At its end, and a name without blanks."""
    (section,) = split_sections(f"# {heading}\n")
    assert (section.heading, section.anchor) == (words, anchor)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# T\n\n## U\n", (1, "T")),
        ("```\n# no\n```\n\n## `U` *v*", (2, "U v")),
        ("#\n\nSetext\n  two\n===\n", (1, "Setext two")),
        ("---\ntext\n", (0, "")),
        ("```\n" + "# no\n" * 8 + "```\n# beyond\n", (0, "")),
        ("", (0, "")),
    ],
)
def test_the_first_heading_with_text_is_found(
    text: str, heading: tuple[int, str]
) -> None:
    """Outside code; the search ends after a few lines that only look like one."""
    assert find_first_heading(text) == heading
