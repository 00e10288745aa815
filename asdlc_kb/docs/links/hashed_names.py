"""Numbers by name, in twelve bytes for each name: what finds one page among a million.

A dictionary of names takes ten times as much. Only the hashes of names are held. They
have a secret seed, so no author can choose a name with the hash of another one.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

_NUMBER_BITS = 32


class HashedNames:
    """The numbers of names, of which each may have several. Immutable."""

    def __init__(self, pairs: Iterable[tuple[str, int]]) -> None:
        """Hold pairs of a name and a number of less than 32 bits."""
        rows = sorted(hash(name) << _NUMBER_BITS | number for name, number in pairs)
        self._hashes = array("q", (row >> _NUMBER_BITS for row in rows))
        self._numbers = array("I", (row & 0xFFFF_FFFF for row in rows))

    def find(self, name: str) -> Sequence[int]:
        """Return the numbers of a name, in order; empty if it is not held."""
        wanted, hashes = hash(name), self._hashes
        start = bisect_left(hashes, wanted)
        if start == len(hashes) or hashes[start] != wanted:
            return ()
        return self._numbers[start : bisect_right(hashes, wanted, start)]
