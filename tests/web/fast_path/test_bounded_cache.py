"""The bound of a cache, and what it drops."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.web.fast_path.bounded_cache import BoundedCache


def test_the_oldest_entries_are_dropped() -> None:
    """As many as necessary; one larger than the cache is not stored."""
    cache: BoundedCache[str, int] = BoundedCache(10)
    for number, key in enumerate("abc"):
        cache.store(key, number, 4)
    assert [cache.find(key) for key in "abc"] == [None, 1, 2]
    cache.store("d", 3, 11)
    assert cache.find("d") is None
    cache.store("e", 4, 10)
    assert [cache.find(key) for key in "bce"] == [None, None, 4]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), max_size=50))
def test_the_size_is_that_of_the_entries(stored: list[tuple[int, int]]) -> None:
    """And never more than the bound."""
    cache: BoundedCache[int, int] = BoundedCache(40)
    sizes: dict[int, int] = {}
    for key, size in stored:
        if cache.find(key) is None:
            sizes[key] = size
        cache.store(key, key, size)
        known = [number for number in range(6) if cache.find(number) is not None]
        assert cache.size == sum(sizes[number] for number in known) <= 40
