"""Truncated texts fit their limit and end in an ellipsis."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.unicode.truncation import truncate


@pytest.mark.parametrize(
    ("text", "truncated"),
    [
        ("", ""),
        ("fourteen chars", "fourteen chars"),
        ("fifteen chars in", "fifteen chars…"),
        ("two words, not cut", "two words,…"),
        ("thirteen char s", "thirteen char…"),
        ("x" * 15, "x" * 13 + "…"),
        ("a " + "字" * 15, "a " + "字" * 11 + "…"),
    ],
)
def test_a_longer_text_ends_in_an_ellipsis_after_a_word(
    text: str, truncated: str
) -> None:
    """Only a word that takes a third of the limit is divided."""
    assert truncate(text, 14) == truncated


@given(text=st.text(), max_chars=st.integers(1, 20))
def test_a_limit_holds_and_a_short_text_is_unchanged(text: str, max_chars: int) -> None:
    """The ellipsis counts."""
    shortened = truncate(text, max_chars)
    assert len(shortened) <= max_chars
    assert (shortened == text) or len(text) > max_chars
