"""Edits between words, against the textbook table."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.edit_distance import count_edits

WORD = st.text(alphabet="abc", max_size=6)


@given(WORD, WORD)
def test_edits_are_counted_alike_from_both_sides(one: str, other: str) -> None:
    """And never more than the longer word has letters; none between equals."""
    edits = count_edits(one, other, 9)
    assert edits == count_edits(other, one, 9)
    assert edits <= max(len(one), len(other))
    assert (edits == 0) == (one == other)


@given(WORD.filter(lambda word: len(word) > 1), st.data())
def test_one_edit_counts_as_one(word: str, data: st.DataObject) -> None:
    """Swapped neighbours too."""
    at = data.draw(st.integers(0, len(word) - 2))
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for other in (swapped, word[:at] + word[at + 1 :], word[:at] + "x" + word[at:]):
        assert count_edits(word, other, 3) == (other != word)


@given(WORD, WORD, st.integers(0, 3))
def test_beyond_the_bound_the_count_is_only_more(one: str, other: str, n: int) -> None:
    """The bound saves time and changes no result."""
    assert (count_edits(one, other, n) <= n) == (count_edits(one, other, 9) <= n)


def count_by_hand(one: str, other: str) -> int:
    """Return the edit distance, by the textbook table."""
    rows: list[list[int]] = [list(range(len(other) + 1))]
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, against in enumerate(other, 1):
            above, previous = rows[-1][column], line[-1]
            change = rows[-1][column - 1] + (letter != against)
            least = min(above + 1, previous + 1, change)
            is_inside = row > 1 and column > 1
            if is_inside and (one[row - 2], letter) == (against, other[column - 2]):
                least = min(least, rows[-2][column - 2] + 1)
            line.append(least)
        rows.append(line)
    return rows[-1][-1]


@given(st.text(alphabet="abcd", max_size=12), st.text(alphabet="abcd", max_size=12))
def test_edits_are_as_many_as_the_table_says(one: str, other: str) -> None:
    """However they are computed."""
    assert count_edits(one, other, 99) == count_by_hand(one, other)


@given(WORD, st.text(alphabet="xyz", max_size=80))
def test_words_of_any_length_are_counted(one: str, other: str) -> None:
    """No word is too long for the bits."""
    assert count_edits(one, other, 99) == max(len(one), len(other))
    assert count_edits(other, one, 99) == max(len(one), len(other))
