"""Lists written as one text with commas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.frontmatter.comma_lists import split_commas


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" , ,", []),
        ("a,b", ["a", "b"]),
        ("**/*.{ts,tsx}, b", ["**/*.{ts,tsx}", "b"]),
        ("{a,{b,c}},d", ["{a,{b,c}}", "d"]),
        ("[a,b],c", ["[a,b]", "c"]),
        ("Bash(git add:*, x), Read", ["Bash(git add:*, x)", "Read"]),
        ("'a,b', \"c,d\"", ["'a,b'", '"c,d"']),
        ("don't, can't", ["don't", "can't"]),
        ("'',b", ["''", "b"]),
        ("{a,b", ["{a", "b"]),
        ("a},b", ["a}", "b"]),
        ("{[a},b", ["{[a}", "b"]),
        ("'a,b", ["'a", "b"]),
    ],
)
def test_commas_split_commas_of_braces_and_quotes(text: str, parts: list[str]) -> None:
    """An opening character that is never closed encloses nothing."""
    assert split_commas(text) == parts


@given(st.lists(st.text(st.sampled_from("ab*/.!"), min_size=1), max_size=5))
def test_a_list_is_split_where_it_was_joined(patterns: list[str]) -> None:
    """Without braces and quotes, every comma counts."""
    assert split_commas(", ".join(patterns)) == patterns


@given(st.text(st.sampled_from("{}[](),'\"ab "), max_size=60))
def test_any_text_is_split(text: str) -> None:
    """Only commas and blanks are lost."""
    parts = split_commas(text)
    assert "".join("".join(parts).split()).replace(",", "") == "".join(
        text.split()
    ).replace(",", "")
