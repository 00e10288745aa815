"""Positions of pairs in a YAML text."""

import pytest

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.yaml_positions import MAX_DEPTH, YamlNode, locate_pairs


def locate(text: str) -> YamlNode:
    """Return the root of a text."""
    root = locate_pairs(text)
    assert root is not None
    return root


def test_a_pair_is_where_it_is_written() -> None:
    """Its key, its column, and the end of its value without what follows."""
    text = "# c\na: 1  # why\nb:\n  'c d': [1,\n    2]  # end\n\n# last\n"
    first, second = locate(text).pairs
    assert (first.key, first.column) == ("a", 0)
    assert text[first.begin : first.value.end] == "a: 1"
    (inner,) = second.value.pairs
    assert (inner.key, inner.column) == ("c d", 2)
    assert text[inner.begin : inner.key_end] == "'c d'"
    assert text[inner.value.begin : inner.value.end] == "[1,\n    2]"
    assert second.value.end == inner.value.end == locate(text).end


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("\n  b: 1", "block"),
        ("{b: 1}", "flow"),
        ("{}", "flow"),
        ("", "null"),
        ("~", "null"),
        ("null", "null"),
        ("'null'", "other"),
        ("!!str", "other"),
        ("text", "other"),
        ("[1]", "other"),
        ("\n  - 1\n  - 2", "other"),
    ],
)
def test_a_value_has_its_kind(value: str, kind: str) -> None:
    """What an editor can put pairs into, and what it cannot."""
    (pair,) = locate(f"a: {value}\n").pairs
    assert pair.value.kind == kind


def test_a_missing_value_ends_with_its_key() -> None:
    """Its position may be on the next line."""
    text = "a:\n  b:\n\n# c\nd: 1\n"
    assert text[: locate(text).pairs[0].value.end] == "a:\n  b"


def test_a_key_that_is_no_scalar_has_no_text() -> None:
    """It cannot be looked up."""
    assert [pair.key for pair in locate("? [a]\n: 1\nb: &x 2\nc: *x\n").pairs] == [
        *("", "b", "c")
    ]


def test_a_text_without_a_value_has_no_node() -> None:
    """White space and comments."""
    assert locate_pairs("") is None
    assert locate_pairs("# c\n\n") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1\n", "it is broken YAML"),
        ("a: \x00", "it is broken YAML"),
        ("a: 1\n---\nb: 1\n", "it has several documents"),
        ("a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH, "it has too many levels"),
        ("[" * 100_000, "it has too many levels"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, message: str) -> None:
    """With the line."""
    with pytest.raises(FrontmatterError) as refused:
        locate_pairs(text)
    assert refused.value.message == message
    assert refused.value.line >= 1
