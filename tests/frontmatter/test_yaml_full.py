"""Frontmatter by the YAML parser: values and refusals with their positions."""

import pytest

from asdlc_kb.exceptions import FrontmatterError
from asdlc_kb.frontmatter.nodes import MAX_DEPTH, Mapping, Scalar, Sequence
from asdlc_kb.frontmatter.yaml_full import read_yaml


def test_values_are_texts_with_their_places() -> None:
    """D-014: no guesses: dates, numbers and booleans stay as they were written."""
    text = "# c\na: 1.10 # d\nb:\n- yes\n-   'it''s'\nc: {d: ~, e: null }\nf:\n"
    assert read_yaml(text) == Mapping(
        {
            "a": Scalar("1.10", False, 3, 4),
            "b": Sequence(
                (Scalar("yes", False, 5, 3), Scalar("it's", False, 6, 5)), 5, 1
            ),
            "c": Mapping(
                {"d": Scalar("~", True, 7, 8), "e": Scalar("null", True, 7, 14)}, 7, 4
            ),
            "f": Scalar("", True, 8, 1),
        },
        3,
        1,
    )


def test_a_folded_text_is_one_line() -> None:
    """YAML's block styles are read as YAML defines them."""
    read = read_yaml("a: >-\n  one\n  two\nb: |\n  one\n  two\n")
    texts = {k: v.text for k, v in read.items.items() if isinstance(v, Scalar)}
    assert texts == {"a": "one two", "b": "one\ntwo\n"}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: &x b", 2, 4, "an anchor or alias"),
        ("a: b\nc: *x", 3, 4, "an anchor or alias"),
        ("a: !!str b", 2, 4, "a tag"),
        ("<<: {a: b}", 2, 1, "a merge key"),
        ("a: b\na: c", 3, 1, "the same key twice"),
        ("a: b\n---\nc: d", 3, 1, "a second YAML document"),
        ("%YAML 1.2\n---\na: b", 2, 1, "a YAML directive"),
        ("? [a]\n: b", 2, 3, "a key that is not a word"),
        ("- a", 2, 1, "not 'key: value' lines"),
        ("a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH, 2, 3 + MAX_DEPTH, "levels"),
    ],
)
def test_what_is_not_plain_data_is_refused_at_its_place(
    text: str, line: int, column: int, message: str
) -> None:
    """D-073: at the event level, before anything is built."""
    with pytest.raises(FrontmatterError) as caught:
        read_yaml(text)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)
