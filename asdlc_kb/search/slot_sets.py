"""Sets of slots as integers: bit n is set if slot n is in the set."""

from collections.abc import Iterable, Iterator
from typing import Final

_MAX_SHIFTED_SLOTS: Final = 8
"""Slots up to which setting one bit at a time is fastest."""

_ONE: Final = ord("1")


def make_set(slots: Iterable[int]) -> int:
    """Return slots as a bit set."""
    listed = list(slots)
    if len(listed) <= _MAX_SHIFTED_SLOTS:
        bits = 0
        for slot in listed:
            bits |= 1 << slot
        return bits
    digits = bytearray(b"0") * (max(listed) + 1)
    for slot in listed:
        digits[~slot] = _ONE
    return int(digits, 2)


def list_slots(bits: int) -> Iterator[int]:
    """Yield the slots of a bit set, in ascending order."""
    digits = f"{bits:b}"[::-1]
    at = digits.find("1")
    while at >= 0:
        yield at
        at = digits.find("1", at + 1)


def highest_slots(bits: int, limit: int) -> Iterator[int]:
    """Yield slots of a bit set in descending order, up to a limit."""
    for _ in range(min(limit, bits.bit_count())):
        slot = bits.bit_length() - 1
        yield slot
        bits ^= 1 << slot
