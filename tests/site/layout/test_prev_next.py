"""Previous and next items of a list."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.site.layout.prev_next import find_neighbours


def test_there_is_nothing_beyond_the_ends() -> None:
    """One alone has no neighbours."""
    assert find_neighbours("", str) == {}
    assert find_neighbours("a", str) == {"a": (None, None)}
    assert find_neighbours("ab", str) == {"a": (None, "b"), "b": ("a", None)}


@given(st.lists(st.integers(), unique=True))
def test_each_is_between_those_next_to_it(items: list[int]) -> None:
    """As in a search by position."""
    found = find_neighbours(items, str)
    for at, item in enumerate(items):
        before = items[at - 1] if at else None
        after = items[at + 1] if at + 1 < len(items) else None
        assert found[str(item)] == (before, after)
