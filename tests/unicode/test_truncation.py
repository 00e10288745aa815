"""Truncated texts fit their limit and end in an ellipsis."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.unicode.truncation import truncate, truncate_words


@pytest.mark.parametrize(
    ("text", "truncated"),
    [
        ("", ""),
        ("fourteen chars", "fourteen chars"),
        ("fifteen chars in", "fifteen chars…"),
        ("two words, cut it", "two words, cu…"),
    ],
)
def test_a_longer_text_ends_in_an_ellipsis(text: str, truncated: str) -> None:
    """No space remains before the ellipsis."""
    assert truncate(text, 14) == truncated


@pytest.mark.parametrize(
    ("text", "truncated"),
    [
        ("", ""),
        ("fourteen chars", "fourteen chars"),
        ("two words, cut it", "two words,…"),
        ("x" * 15, "x" * 13 + "…"),
    ],
)
def test_words_stay_whole(text: str, truncated: str) -> None:
    """Only a word that is too long itself is divided."""
    assert truncate_words(text, 14) == truncated


@pytest.mark.parametrize("shorten", [truncate, truncate_words])
@given(text=st.text(), max_chars=st.integers(1, 20))
def test_a_limit_holds_and_a_short_text_is_unchanged(
    shorten: Callable[[str, int], str], text: str, max_chars: int
) -> None:
    """The ellipsis counts."""
    shortened = shorten(text, max_chars)
    assert len(shortened) <= max_chars
    assert (shortened == text) or len(text) > max_chars
