"""Lazy values: in memory first, then read from disk."""

import gc

import pytest

from asdlc_kb.files.lazy_value import LazyValue, StoredPlace


class Texts:
    """A reader of texts by place."""

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, str, bytes]] = []

    def read(self, place: bytes, path: str, digest: bytes) -> str:
        """Return the text of a place, and record the question."""
        self.asked.append((place, path, digest))
        return place.decode()


def test_a_value_in_memory_is_returned_as_it_is() -> None:
    """It has no place."""
    value = LazyValue("text")
    assert (value.get(), value.stored_place) == ("text", None)


def test_a_moved_value_is_read_each_time_with_the_file_that_it_is_of() -> None:
    """The file stands in for a damaged cache."""
    texts, value = Texts(), LazyValue("text")
    place = StoredPlace(texts, b"stored")
    value.move(place, "a/x.md", b"digest")
    assert (value.get(), value.get()) == ("stored", "stored")
    assert texts.asked == [(b"stored", "a/x.md", b"digest")] * 2
    assert value.stored_place is place


@pytest.mark.parametrize("is_stored", [False, True])
def test_values_are_equal_wherever_they_are(*, is_stored: bool) -> None:
    """A text that was stored meanwhile is not a change."""
    value, other = LazyValue("same"), LazyValue("same")
    if is_stored:
        value.move(StoredPlace(Texts(), b"same"), "a/x.md", b"")
    assert value == other
    assert hash(value) == hash(other)
    assert value != LazyValue("other")
    assert value != "same"


def test_its_description_reads_no_file() -> None:
    """As in a log or a debugger."""
    texts, value = Texts(), LazyValue("text")
    assert repr(value) == "LazyValue('text')"
    value.move(StoredPlace(texts, b"x"), "a/x.md", b"")
    assert (repr(value), texts.asked) == ("LazyValue(stored)", [])


def test_a_place_costs_a_garbage_collection_nothing() -> None:
    """D-189: a collection follows each update, and each file has a place."""
    assert not gc.is_tracked(StoredPlace(Texts(), b"x"))
