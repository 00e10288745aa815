"""Vocabulary: the words of an index by first letter and length, for similar words.

A block holds the words of one first letter and one length as one string, and the
letters of each as bits: 4 bytes a word beside its text. Most words are rejected by
these bits alone. Blocks are built when a word with their first letter is first looked
up, so a change of the index costs one letter at a time.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.search.edit_distance import count_edits

_LETTER_BITS: Final = 30
"""Bits that stand for letters: the most that fit one digit of Python's integers."""

ListWords: TypeAlias = Callable[[str], Iterable[tuple[str, int]]]
"""Returns the words with a prefix, and numbers that are not used here."""


class _Block(NamedTuple):
    """Words of one first letter and one length."""

    text: str
    letters: "array[int]"


class Vocabulary:
    """The words of one state of an index; thread-safe."""

    def __init__(self, list_words: ListWords) -> None:
        self._list_words = list_words
        self._blocks: dict[str, Mapping[int, _Block]] = {}
        """By first letter, then by length. Concurrent threads store equal values."""

    def find_near(self, word: str, max_edits: int) -> Iterator[tuple[str, int]]:
        """Yield words with the first letter of a word within some edits, with these.

        The word itself is among them if it is known.
        """
        letters = _letter_bits(word)
        others = ~letters
        blocks = self._open_blocks(word[:1])
        for length in range(len(word) - max_edits, len(word) + max_edits + 1):
            if (block := blocks.get(length)) is None:
                continue
            # An insertion takes no letter away, and a deletion adds none.
            missing = max_edits - max(0, length - len(word))
            added = max_edits - max(0, len(word) - length)
            shared = letters.bit_count() - missing
            for at, its_letters in enumerate(block.letters):
                if (its_letters & letters).bit_count() < shared:
                    continue
                if (its_letters & others).bit_count() > added:
                    continue
                other = block.text[at * length : (at + 1) * length]
                edits = count_edits(word, other, max_edits)
                if edits <= max_edits:
                    yield other, edits

    def _open_blocks(self, first: str) -> Mapping[int, _Block]:
        """Return the blocks of a first letter, by length; build them if needed."""
        blocks = self._blocks.get(first)
        if blocks is None:
            words: defaultdict[int, list[str]] = defaultdict(list)
            if first:
                for word, _ in self._list_words(first):
                    words[len(word)].append(word)
            blocks = {
                length: _Block("".join(equal), array("I", map(_letter_bits, equal)))
                for length, equal in words.items()
            }
            self._blocks[first] = blocks
        return blocks


def _letter_bits(word: str) -> int:
    """Return the letters of a word as bits; some letters share one."""
    bits = 0
    for character in word:
        bits |= 1 << (ord(character) % _LETTER_BITS)
    return bits
