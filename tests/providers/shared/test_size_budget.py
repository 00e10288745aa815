"""The size budget of a result, in characters of its text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.providers.shared.size_budget import (
    MAX_NAMES,
    SizeBudget,
    json_chars,
    truncate_names,
)

TEXTS = st.text(
    st.sampled_from('a"\\\n\N{EURO SIGN}\x00\x1f\N{LINE SEPARATOR}'), max_size=3_000
)


def test_a_value_is_measured_as_json() -> None:
    """A quote is two characters of JSON; a character is one, of however many bytes."""
    assert json_chars("a" * 10) == 12
    assert json_chars('"' * 10) == 22
    assert json_chars("\N{EURO SIGN}" * 10) == 12


@pytest.mark.parametrize("is_json", [True, False])
@given(text=TEXTS)
def test_what_fits_is_within_the_budget(text: str, is_json: bool) -> None:
    """Whatever the text is; all of it if it fits, else as much as can be."""
    budget = SizeBudget(1_000, is_json)

    def left(count: int) -> int:
        return budget.spend(text[:count]).chars

    fitting = budget.count_fitting(text)
    assert left(fitting) >= 0
    assert fitting == len(text) or left(fitting + 1) < 0


@pytest.mark.parametrize("chars", [0, -50])
def test_nothing_fits_where_nothing_is_left(chars: int) -> None:
    """A number of characters is never negative."""
    assert SizeBudget(chars).count_fitting("text") == 0


def test_names_are_truncated_to_a_limit() -> None:
    """As many tags as fit, and none that is a long text."""
    assert truncate_names(["a", "b"]) == ("a", "b")
    assert len(truncate_names([f"tag {n}" for n in range(1_500)])) == MAX_NAMES
    assert truncate_names(["a", "x" * 10_000, "b"]) == ("a",)
