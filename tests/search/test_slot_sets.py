"""Sets of slots as integers."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.slot_sets import highest_slots, list_slots, make_set


@given(st.sets(st.integers(0, 500)), st.integers(0, 600))
def test_a_set_of_slots_is_a_number(slots: set[int], limit: int) -> None:
    """All slots are listed ascending; the highest ones, descending."""
    bits = make_set(slots)
    assert list(list_slots(bits)) == sorted(slots)
    assert list(highest_slots(bits, limit)) == sorted(slots, reverse=True)[:limit]
