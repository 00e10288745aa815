"""JSON with comments and trailing commas."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.files.commented_json import blank_comments, blank_trailing_commas

VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('a"\\/*,{}[]:\n ')),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text("ab/*,", max_size=4), inner)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("\ufeff[1]", [1]),
        ("// a\n[1, // b\n 2]", [1, 2]),
        ("/* a, \n */ [1, 2,]", [1, 2]),
        ('{"a": "// no", "b": "/* no */",}', {"a": "// no", "b": "/* no */"}),
        ('{"a": ",}", "b": [1,\n],\n}', {"a": ",}", "b": [1]}),
        ('{"a": "\\"//", /* x */ }', {"a": '"//'}),
    ],
)
def test_what_is_no_json_becomes_blanks(text: str, value: object) -> None:
    """Texts in quotes stay, and so do offsets."""
    strict = blank_trailing_commas(blank_comments(text))
    assert json.loads(strict) == value
    assert len(strict) == len(text)
    assert strict.count("\n") == text.count("\n")


@pytest.mark.parametrize("text", ['{"a', "/* a", "[,]", "{,}", "[1,,]", '"\\'])
def test_what_is_broken_stays_broken(text: str) -> None:
    """Nothing is completed."""
    with pytest.raises(ValueError, match=r"."):
        json.loads(blank_trailing_commas(blank_comments(text)))


@given(VALUES)
def test_json_stays_as_it_is(value: object) -> None:
    """Whatever its texts have."""
    text = json.dumps(value)
    assert blank_trailing_commas(blank_comments(text)) == text
