"""Edit distance of words: deletion, insertion, substitution, transposition."""

from functools import lru_cache


def count_edits(source: str, target: str, max_edits: int) -> int:
    """Return the edit distance of two words; any larger number beyond `max_edits`.

    An edit is a deletion, insertion, substitution or transposition of adjacent letters.
    Bit-parallel: a row of the table is two bit vectors, of the positions where the
    distance grows or shrinks by one.
    """
    if not source:
        return len(target)
    positions = _letter_positions(source)
    whole = (1 << len(source)) - 1
    end = 1 << (len(source) - 1)
    more, less, level, before = whole, 0, 0, 0
    count, left = len(source), len(target)
    for letter in target:
        here = positions.get(letter, 0)
        swapped = ((~level & here) << 1) & before
        level = ((((here & more) + more) ^ more) | here | less | swapped) & whole
        up = (less | ~(level | more)) & whole
        down = level & more
        count += bool(up & end) - bool(down & end)
        left -= 1
        if count - left > max_edits:
            return max_edits + 1
        up = (up << 1) | 1
        more = ((down << 1) | ~(level | up)) & whole
        less = up & level
        before = here
    return count


@lru_cache(maxsize=64)
def _letter_positions(word: str) -> dict[str, int]:
    """Return the positions of each letter of a word as bits."""
    positions: dict[str, int] = {}
    for at, letter in enumerate(word):
        positions[letter] = positions.get(letter, 0) | 1 << at
    return positions
