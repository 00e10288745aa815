"""The size budget of a result, measured as it is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from asdlc_kb.mcp.protocol import jsonrpc
from asdlc_kb.providers.shared.results import make_result
from asdlc_kb.providers.shared.size_budget import (
    MAX_NAMES,
    SizeBudget,
    json_chars,
    max_answer_chars,
    truncate_names,
    write_json,
)

TEXTS = st.text(
    st.sampled_from('a"\\\n\N{EURO SIGN}\x00\x1f\N{LINE SEPARATOR}'), max_size=3_000
)


def count_sent(value: object, text: str) -> int:
    """Return the characters of an answer as it is sent, but for those around both."""
    result = make_result({"x": value}, text)
    empty = make_result({"x": 0}, "")
    sizes = [len(jsonrpc.write(to_builtins(each)).decode()) for each in (result, empty)]
    return sizes[0] - sizes[1]


def test_a_value_is_measured_as_it_is_sent() -> None:
    """A quote is two characters of JSON; a character is one, of however many bytes."""
    assert json_chars("a" * 10) == 12
    assert json_chars('"' * 10) == 22
    assert json_chars("\N{EURO SIGN}" * 10) == 12


def test_the_budget_grows_with_what_is_asked_for() -> None:
    """No default result exceeds 80,000 characters; less does not reduce it."""
    assert max_answer_chars(50, 50) == max_answer_chars(1, 50) == 79_000
    assert max_answer_chars(100, 50) == 159_000


@given(TEXTS)
def test_what_is_spent_is_what_is_sent(text: str) -> None:
    """To within the few characters around a value: as JSON, and as the text itself."""
    nested = -SizeBudget(0).spend(text).chars
    assert 0 <= nested - count_sent(text, write_json(text)) <= 3
    plain = -SizeBudget(0, is_json=False).spend(text, text).chars
    assert 0 <= plain - count_sent(text, text) <= 3


@pytest.mark.parametrize("is_json", [True, False])
@given(text=TEXTS)
def test_what_fits_is_within_the_budget(text: str, is_json: bool) -> None:
    """Whatever the text is; all of it if it fits, else as much as can be."""
    budget = SizeBudget(1_000, is_json)

    def left(count: int) -> int:
        return budget.spend(text[:count], text[:count]).chars

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
