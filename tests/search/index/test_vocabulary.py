"""Similar words of a vocabulary, against every word compared."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.edit_distance import count_edits
from asdlc_kb.search.index.vocabulary import Vocabulary

WORD = st.text(alphabet="ab09zéλ\U00020000", min_size=1, max_size=8)


def open_vocabulary(words: set[str], asked: list[str] | None = None) -> Vocabulary:
    """Return a vocabulary of words, which records the prefixes it asks for."""

    def list_words(prefix: str) -> Iterator[tuple[str, int]]:
        if asked is not None:
            asked.append(prefix)
        return ((word, 1) for word in words if word.startswith(prefix))

    return Vocabulary(list_words)


@given(st.sets(WORD, max_size=40), WORD, st.integers(0, 4))
def test_near_words_are_those_that_comparing_each_word_finds(
    words: set[str], word: str, max_edits: int
) -> None:
    """None is missed because of its letters or its length; only first letters count."""
    alike = {other for other in words if other[0] == word[0]}
    counted = {(other, count_edits(word, other, max_edits)) for other in alike}
    expected = sorted(row for row in counted if row[1] <= max_edits)
    vocabulary = open_vocabulary(words)
    for _ in range(2):
        assert sorted(vocabulary.find_near(word, max_edits)) == expected


def test_the_words_of_a_letter_are_listed_once_and_only_when_asked_for() -> None:
    """A change of the index costs the letters that are looked up afterwards."""
    asked: list[str] = []
    vocabulary = open_vocabulary({"cache", "cachet", "server"}, asked)
    assert asked == []
    for _ in range(2):
        assert list(vocabulary.find_near("cahce", 1)) == [("cache", 1)]
    assert asked == ["c"]


@pytest.mark.parametrize("word", ["", "x"])
def test_an_unknown_first_letter_has_no_near_words(word: str) -> None:
    """Neither has an empty word."""
    assert list(open_vocabulary({"cache"}).find_near(word, 3)) == []
