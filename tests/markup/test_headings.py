"""The words of headings, and the ids that they have explicitly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.headings import MAX_BLOCK_CHARACTERS, cut_attributes
from asdlc_kb.markup.html_renderer import render
from asdlc_kb.markup.outline import read_outline
from asdlc_kb.markup.plain_text import to_plain_text
from asdlc_kb.markup.sections import split_sections

BLOCKS = [
    ("{#id}", "id"),
    ("{ #id }", "id"),
    ("{: #id }", "id"),
    ("{:#id}", "id"),
    ('{ .cls #id data-x="y z" }', "id"),
    ("{#id .cls}", "id"),
    ("{#id key=value}", "id"),
    ("{/* #id */}", "id"),
    ("{/*id*/}", "id"),
    ('{ id="9.6.15" }', "9.6.15"),
    ("{ id='x' }", "x"),
    ("{ #größe }", "größe"),
    ("{ .cls }", ""),
    ('{ data-toc-label="Short" }', ""),
]
TEXTS = [
    "{}",
    "{#}",
    "{#b c}",
    "{ #b } c",
    "{name}",
    "{/* name */}",
    "{/*two words*/}",
    "{a=1}",
    "{{ x }}",
    "{% x %}",
    "{.5}",
    "/{.cls}",
    "\\{#id}",
    "{/* id */}",
    '{ id="a" b }',
    '{ id="a}" }',
    "`{#id}`",
    "{#" + "x" * MAX_BLOCK_CHARACTERS + "}",
]


@pytest.mark.parametrize(("block", "id"), BLOCKS)
def test_an_attribute_block_is_no_part_of_a_heading(block: str, id: str) -> None:
    """In title, heading, anchor, HTML and search text alike; its id is the anchor."""
    assert cut_attributes(f"Two *words* {block} ") == ("Two *words*", id)
    anchor = id or "two-words"
    for text in (f"## Two *words* {block}\n", f"Two *words* {block}\n---\n"):
        (section,) = split_sections(text)
        assert (section.heading, section.anchor) == ("Two words", anchor)
        html, outline = render(text, has_anchors=False), read_outline(text)
        assert html.text == f'<h2 id="{anchor}">Two <em>words</em></h2>\n'
        assert html.headings == outline.headings
        assert [heading.anchor for heading in outline.headings] == [anchor]
    assert to_plain_text(f"## Two *words* {block}\n") == "Two words\n".strip()


@pytest.mark.parametrize("text", TEXTS)
def test_other_braces_at_the_end_of_a_heading_are_text(text: str) -> None:
    """Templates, sets, escaped blocks, code, and what is too long."""
    assert cut_attributes(f"Words {text}".rstrip()) == (f"Words {text}".rstrip(), "")


def test_explicit_ids_win_over_generated_ones() -> None:
    """Wherever they stand; the second heading with an id gets a number."""
    text = "# A\n\n## B {#a}\n\n## A\n\n## C {#a}\n\n## D {#a-1}\n"
    anchors = ["a-2", "a", "a-3", "a-4", "a-1"]
    assert [section.anchor for section in split_sections(text)] == anchors
    assert [heading.anchor for heading in read_outline(text).headings] == anchors
    assert [heading.anchor for heading in render(text).headings] == anchors


@pytest.mark.parametrize("id", ["KB-main", "a&b", 'a"b', "<b>", "x" * 201])
def test_an_id_that_is_not_allowed_on_a_page_is_not_used(id: str) -> None:
    """Those of the page around a text, and characters of HTML."""
    (section,) = split_sections(f"## Words {{#{id}}}\n")
    assert (section.heading, section.anchor) == ("Words", "words")
    assert render(f"## Words {{#{id}}}\n").headings[0].anchor == "words"


PARTS = st.sampled_from(
    [block for block, _ in BLOCKS]
    + TEXTS
    + ["\n", "\n\n", "# ", "## ", "#", "\n---\n", "a", " ", "`", "*", "{", "}", "\\"]
)


@given(
    st.lists(PARTS, max_size=12)
    .map("".join)
    .filter(lambda text: text.count("x" * MAX_BLOCK_CHARACTERS) < 2)
)
def test_all_readers_of_a_text_find_the_same_headings(text: str) -> None:
    """The fast scanner, the grammar of sections, the outline and the HTML."""
    headings = read_outline(text).headings
    assert render(text).headings == headings
    found = [(s.heading, s.anchor, s.first) for s in split_sections(text) if s.level]
    assert found == [(h.text, h.anchor, h.line) for h in headings]
    assert len({heading.anchor for heading in headings}) == len(headings)


@given(st.text(alphabet="{}#:./*= \t\"'a\\", max_size=80))
def test_cutting_never_fails(content: str) -> None:
    """What is left begins the content, and has no more than one block less."""
    bare, id = cut_attributes(content)
    assert content.startswith(bare)
    assert not id or id in content
