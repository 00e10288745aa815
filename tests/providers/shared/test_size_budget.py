"""How much of an answer fits, measured as it is sent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.mcp.protocol.model import TextContent, ToolResult
from asdlc_kb.providers.shared.cursors import read_cursor
from asdlc_kb.providers.shared.size_budget import (
    MAX_NAMES,
    max_answer_chars,
    measure_answer,
    shrink_chunk,
    shrink_rows,
    shrink_to_budget,
    truncate_names,
)


def say(text: str) -> ToolResult:
    """Return an answer that says a text twice, as tools do."""
    return ToolResult(
        content=(TextContent(text=text),), structured_content={"text": text}
    )


def length(result: ToolResult) -> int:
    """Return the characters of what an answer says."""
    return len(result.structured_content["text"])


def test_an_answer_is_measured_as_it_is_sent() -> None:
    """A quote is two characters of JSON; a character is one, of however many bytes."""
    empty = measure_answer(say(""))
    assert measure_answer(say("a" * 10)) == empty + 20
    assert measure_answer(say('"' * 10)) == empty + 40
    assert measure_answer(say("\N{EURO SIGN}" * 10)) == empty + 20


def test_room_grows_with_what_is_asked_for() -> None:
    """No default answer exceeds 80,000 characters; less does not make it smaller."""
    assert max_answer_chars(50, 50) == max_answer_chars(1, 50) == 79_000
    assert max_answer_chars(100, 50) == 159_000


@given(st.text(st.sampled_from('a"\n\N{EURO SIGN}\x00'), max_size=3000))
def test_what_fits_is_within_its_room(text: str) -> None:
    """Whatever the text is; and all of it where there is room for it."""
    result = shrink_to_budget(
        lambda most: say(text[:most]), len(text), 1_000, minimum=10
    )
    assert measure_answer(result) <= 1_000
    if measure_answer(say(text)) <= 1_000:
        assert length(result) == len(text)


def test_the_least_is_given_without_room_too() -> None:
    """An answer of nothing would be the end of a list."""
    assert (
        length(shrink_to_budget(lambda most: say("x" * most), 50, 10, minimum=3)) == 3
    )


@pytest.mark.parametrize("size", [3_000, 30_000])
async def test_a_part_of_a_large_text_is_within_its_room(size: int) -> None:
    """In a thread or not."""
    text = "x" * size
    result = await shrink_chunk(lambda most: say(text[:most]), text, size, 4_000)
    assert 1_000 <= length(result) < 2_000


def test_rows_end_where_there_is_no_more_room() -> None:
    """The cursor has the offset of the next row, and the fingerprint for it."""
    rows = ["x" * 100] * 50
    cursors: list[str | None] = []

    def make(some: list[str], cursor: str | None) -> ToolResult:
        cursors.append(cursor)
        return say("".join(some))

    def fingerprint(count: int) -> str:
        return f"{count:016x}"

    given = {"start": 7, "total": 57, "fingerprint": fingerprint}
    result = shrink_rows(rows, make, 4_000, **given)  # type: ignore[arg-type]
    count = length(result) // 100
    assert 10 < count < 20
    assert cursors[-1] is not None
    assert read_cursor(cursors[-1], fingerprint, 57) == 7 + count
    shrink_rows(rows, make, 40_000, **given)  # type: ignore[arg-type]
    assert cursors[-1] is None


def test_few_names_stand_beside_others() -> None:
    """As many tags as can be read, and none that is a text of its own."""
    assert truncate_names(["a", "b"]) == ("a", "b")
    assert len(truncate_names([f"tag {n}" for n in range(1_500)])) == MAX_NAMES
    assert truncate_names(["a", "x" * 10_000, "b"]) == ("a",)
