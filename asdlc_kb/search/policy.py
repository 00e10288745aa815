"""How a query is read and how far it may be stretched: every weight and limit.

The values were measured over judged collections and known items of documentation trees.
They lie on a plateau: a fifth more or less of any one changes little, so the reasons
matter more than the digits.
"""

from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Final


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """The weights and limits of full-text search."""

    longest_query: int = 2_000
    """Characters that are read; nobody types more, and time is bounded."""
    most_words: int = 80
    """Words that are read."""

    title_copies: int = 3
    tag_copies: int = 2
    heading_copies: int = 2
    """The one field holds a title several times: scores of several fields, added up,
    let a title of three words outweigh a whole text."""
    title_weight: float = 0.8
    """Of a word in the title alone, where it beats the word in the text."""
    tie: float = 0.2
    """How much the lesser of the two counts beside the greater."""
    repeat_power: float = 0.5
    """A word that is asked twice counts 2 to this power."""

    soft_words: int = 6
    """Queries of so many words keep their stop words: `what is it` has no others."""
    soft_weight: float = 0.3

    pair_weight: float = 0.3
    """Of two neighbours that are neighbours in the text."""
    pair_slop: int = 2
    pairs_full: int = 10
    """Beyond so many words, pairs weigh less: long questions hold chance pairs."""
    common_share: float = 0.75
    """Two words that so many pages have are no pair: that they meet somewhere says
    little, and to look where they stand in each page takes most of a search."""
    common_pages: int = 500
    """In smaller trees that takes no time, and few pages are few chances to meet."""
    cjk_weight: float = 0.8
    """Of neighbouring characters of scripts without blanks: there, pairs are words."""
    phrase_weight: float = 1.0
    """Of the whole query in a title or heading."""
    exact_weight: float = 1.0
    """Of the whole query as a whole title or heading: it was named."""
    identifier_weight: float = 0.7
    """Of the parts of `a_b`, `a.b`, `a/b`, `a::b`, side by side."""
    identifier_words: int = 12

    shortest_stretched: int = 4
    """Letters from which a word may be corrected; below, anything is near anything."""
    longest_stretched: int = 24
    most_stretched: int = 8
    """Words of one query that are looked up for corrections; time is bounded."""
    corrections: int = 2
    near_weight: float = 0.9
    """Of a word at one edit; swapped neighbours are one."""
    other_start: float = 0.3
    """Factor in choosing a correction with another first letter: those are rare."""
    far_letters: int = 8
    """Letters from which two edits are tried."""
    far_weight: float = 0.7
    completions: int = 3
    completion_weight: float = 0.8
    """Of what begins with a word that is nowhere."""
    split_weight: float = 0.7
    """Of two words that were typed as one."""
    join_weight: float = 1.0
    """Of one word that was typed as two to four."""
    join_words: int = 4
    last_words: int = 5
    """In queries of so many words the last one may be unfinished."""
    last_completions: int = 5
    last_weight: float = 0.3
    most_prefixed: int = 50
    """Words that `term*` stands for, the commonest."""

    operator_words: int = 12
    operator_characters: int = 200
    """Longer queries are prose: what looks like an operator in them is none."""

    deepest: int = 1_000
    """Documents that are ranked and counted at most."""
    fused_pages: int = 100
    fused_sections: int = 300
    """How many of each list are merged."""
    section_share: float = 0.4
    """Of a document's score that is its best section's."""
    next_share: float = 0.1
    """Of each of the next sections, as a part of that."""
    next_sections: int = 3
    missing: float = 0.8
    """Of a list's lowest score, for what is not in it."""

    def identity(self) -> str:
        """Return what tells this policy from another, for indexes kept on disk."""
        text = repr(sorted(asdict(self).items()))
        return blake2b(text.encode(), digest_size=8).hexdigest()


POLICY: Final = SearchPolicy()
