"""Elements of components: nesting, missing tags, code, and the indent of a body."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.markup.dialects import component_elements
from asdlc_kb.markup.dialects.component_elements import (
    UNCLOSED,
    dedent_body,
    find_children,
    find_components,
    mask_blocks,
    split_summary,
)
from asdlc_kb.markup.dialects.component_tags import Tag, read_tag
from asdlc_kb.markup.dialects.elements import Element


def find(text: str) -> dict[int, tuple[str, list[str] | None, int]]:
    """Return name, body and end of the elements of a text by their first line."""
    found = find_components(text.split("\n"), lambda name: True)
    return {at: (e.name, e.body, e.end) for at, e in found.items()}


def test_an_element_has_whole_lines_and_a_body() -> None:
    """It ends at its own tag, and not at that of an element in it."""
    found = find("<A>\n<A>\nx\n</A>\n</A>\n<B/>")
    assert found == {
        0: ("A", ["<A>", "x", "</A>"], 5),
        1: ("A", ["x"], 4),
        5: ("B", None, 6),
    }


def test_an_element_beside_a_text_belongs_to_its_paragraph() -> None:
    """It is not one of whole lines."""
    assert find("see <A>x</A>\n<B>y</B> and more") == {}


def test_a_blank_as_an_expression_is_no_text() -> None:
    """A formatter puts it behind an element."""
    assert list(find("<A>\nx\n</A>{' '}\n<B/> {\"\"} \n<C/>{x}")) == [0, 3]


def test_a_tag_whose_other_tag_is_missing_is_known() -> None:
    """An outer element ends what is open in it."""
    found = find("<A>\n<B>\nx\n</A>\n</C>")
    assert found[0] == ("A", ["<B>", "x"], 4)
    assert found[1][:2] == (UNCLOSED, None)
    assert found[4][:2] == (UNCLOSED, None)


@pytest.mark.parametrize(
    "text",
    [
        "```\n<A/>\n```",
        "`\n<A/>\n`",
        "<!--\n<A/>\n-->",
        "\\<A/>",
        "- ```\n  <A/>\n  ```",
    ],
)
def test_tags_in_code_and_comments_are_none(text: str) -> None:
    """Documentation shows the tags of its own generator."""
    assert find(text) == {}


def test_void_elements_of_html_have_no_body() -> None:
    """They need no end."""
    assert find("<A>\n<br>\nx\n</A>")[0][1] == ["<br>", "x"]


def test_children_are_in_no_other_element() -> None:
    """Also if several are in one line."""
    children = find_children(["<A><B>x</B></A><C/>", "<D>"])
    assert [child.name for child in children] == ["A", "C"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\n  a\n    b\n", ["a", "  b"]),
        ("\n\ta\n\t\tb\n", ["a", "  b"]),
        ("a\nb\n", ["a", "b"]),
        (" a ", ["a"]),
        ("\n  ```\n  x\n    y\n  ```\n", ["```", "x", "  y", "```"]),
        ("\n\t```\n\tx\n\t\ty\n\t```\n", ["```", "x", "\ty", "```"]),
        ("\n      x\n        y\n    z\n", ["x", "  y", "z"]),
    ],
)
def test_a_body_loses_the_indent_of_its_first_line(text: str, lines: list[str]) -> None:
    """Indented Markdown would be code; code keeps its own indent."""
    assert dedent_body(text) == lines


@pytest.mark.parametrize(
    "text", ["a `b` c\n```\nd\n```\n<!-- e -->f\n\\<g", "`a\n\nb` <!--\nx\n--> y"]
)
def test_masked_text_keeps_every_position(text: str) -> None:
    """Tags are read in the text itself."""
    masked = mask_blocks(text)
    assert [len(line) for line in masked.split("\n")] == [
        len(line) for line in text.split("\n")
    ]


def test_only_paragraphs_with_a_sign_need_be_masked() -> None:
    """A fence or a comment begins and ends in any of them."""
    text = "`a`\n\n`<b`\n\n```\n\n<c\n\n```\n\n<!--\n\n<d -->\n\n\\<e <f"
    masked = mask_blocks(text, "<")
    assert len(masked) == len(text)
    assert masked.replace("`a`", "").split() == ["e", "<f"]


def test_a_body_is_read_for_some_names_only() -> None:
    """Another element stays in its paragraph."""
    found = find_components(["<a>", "b", "</a>"], lambda name: name != "a")
    assert found[0].body is None


def test_any_number_of_elements_may_be_open() -> None:
    """D-139: a tag costs the same however many are open around it."""
    lines = ["<A>"] * 2_000 + ["x"] + ["</A>"] * 2_000
    assert len(find_children(lines)) == 1
    assert len(find_components(lines, lambda name: True)) == 2_000
    assert len(find_children(["<A>"] * 2_000)) == 0


PARTS = st.lists(
    st.sampled_from(
        "<A> </A> <B> </B> <C/> <D\n\te={`f\n\t\tg`}> </D> <summary> </summary> "
        "``` ` <!-- --> \\ \n \n\n \n\t \n__ \n_____ x".split(" ")
    ).map(lambda part: part.replace("_", " ")),
    max_size=24,
)


def compare(lines: list[str]) -> None:
    """Compare what is known of a body's tags with what its lines alone have."""
    again = list(lines)
    elements = find_components(lines, lambda name: True)
    assert dict(elements) == dict(find_components(again, lambda name: True))
    children = find_children(lines)
    assert children == find_children(again)
    summary, rest = split_summary(lines)
    assert (summary, rest) == split_summary(again)
    if summary:
        compare(rest)
    else:
        for child in children:
            compare(child.body or [])


@example(["<A>\n  <D\n   e={`f\n\n     g`}>\n  </D>\n</A>"])
@example(["<A><B>\n  <C/></B> <C/>\n</A> x"])
@example(["<A><!--\n<B/>\n-->\n</A>"])
@given(PARTS)
def test_the_elements_of_a_body_are_those_of_its_lines(parts: list[str]) -> None:
    """Whatever indent it lost, and in whichever line it begins and ends."""
    compare("".join(parts).split("\n"))


def test_a_tag_is_read_once_however_deep_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """D-139: a body is read again by its own rules, but not its tags."""
    count = 0

    def read(text: str, at: int) -> Tag | None:
        nonlocal count
        count += 1
        return read_tag(text, at)

    monkeypatch.setattr(component_elements, "read_tag", read)
    lines = ["<A>", "<summary>b</summary>"] * 9 + ["</A>"] * 9
    depth = 0
    while elements := find_components(lines, str.isupper):
        element: Element = next(iter(elements.values()))
        assert element.body is not None
        assert len(find_children(element.body)) == (2 if depth < 8 else 1)
        _, lines = split_summary(element.body)
        depth += 1
    assert (depth, count) == (9, 36)


@pytest.mark.parametrize(
    ("text", "summary", "rest"),
    [
        ("<summary>a *b*</summary>c\nd", "a *b*", ["c", "d"]),
        ("\n <Summary id='x'>\na\n</Summary>\n\nd", "\na\n", ["", "", "d"]),
        ("a <summary>b</summary>", "", ["a <summary>b</summary>"]),
        ("<summary>a\nb", "", ["<summary>a", "b"]),
        ("a", "", ["a"]),
    ],
)
def test_a_summary_begins_a_body(text: str, summary: str, rest: list[str]) -> None:
    """And is no part of the text after it."""
    assert split_summary(text.split("\n")) == (summary, rest)
