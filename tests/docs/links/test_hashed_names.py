"""Numbers by name: as a dictionary finds them, in a tenth of its memory."""

import tracemalloc
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.links.hashed_names import HashedNames

_PAIRS = st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 2**32 - 1)))


@given(_PAIRS)
def test_each_name_has_its_numbers_in_order(pairs: list[tuple[str, int]]) -> None:
    """A name that is not held has none."""
    expected = defaultdict[str, list[int]](list)
    for name, number in sorted(pairs):
        expected[name].append(number)
    names = HashedNames(pairs)
    for name in "abcdefgh":
        assert [*names.find(name)] == expected[name]


def test_a_name_takes_twelve_bytes() -> None:
    """D-306: dictionaries of names took 230 bytes for each page."""
    count = 10_000
    tracemalloc.start()
    try:
        names = HashedNames((f"folder/page-{at}", at) for at in range(count))
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all([*names.find(f"folder/page-{at}")] == [at] for at in range(count))
    assert taken / count < 15
