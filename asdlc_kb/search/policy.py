"""Search policy: every weight and limit of full-text search.

The values were tuned on collections with relevance judgements and on known-item
searches of documentation trees. They lie on a plateau: 20 % more or less of any one
changes little, so the reasons matter more than the digits.
"""

from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Final

from asdlc_kb.search.synonyms import BUILT_IN, Synonyms

MAX_QUERY_CHARS: Final = 2_000
"""Characters of a query that are read, to bound the time."""


@dataclass(frozen=True, slots=True)
class IndexPolicy:
    """The weights that are part of an index; any change rebuilds indexes on disk."""

    title_copies: int = 3
    tag_copies: int = 2
    path_copies: int = 1
    heading_copies: int = 4
    """Copies in the combined field: adding up scores of separate fields would let a
    title of three words outweigh a whole text. Those of the heading are in its section
    alone."""

    def identity(self) -> str:
        """Return a digest of all values, stored with indexes on disk."""
        text = repr(sorted(asdict(self).items()))
        return blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class QueryPolicy:
    """The weights, limits and synonyms of a query; any change is effective at once."""

    max_query_chars: int = MAX_QUERY_CHARS
    max_words: int = 80
    """Words of a query that are read."""
    max_snippet_chars: int = 200
    """Characters of a hit's passage, without the marks."""

    title_weight: float = 0.8
    """Weight of a word in the title, used if it scores above the text."""
    tie: float = 0.2
    """Tie breaker: the share of the lower of both scores that is added."""
    repeat_power: float = 0.5
    """A word repeated n times in a query weighs n to this power."""

    soft_words: int = 6
    """Words up to which stop words are kept: `what is it` has no others."""
    soft_weight: float = 0.3

    max_mixed_words: int = 12
    """Words of a query up to which they are searched in all languages of the documents:
    longer ones are prose in one language, and each language costs as much again."""

    pair_weight: float = 0.3
    """Weight of two adjacent words that are adjacent in the text."""
    pair_slop: int = 2
    pairs_full: int = 10
    """Words beyond which pairs weigh less: long questions have chance pairs."""
    common_share: float = 0.75
    """Share of pages beyond which two words are not scored as a pair: their adjacency
    says little, and checking positions in each page takes most of a search."""
    common_pages: int = 500
    """Pages up to which words are paired in any case: fast, and few pairs by chance."""
    cjk_weight: float = 0.8
    """Weight of adjacent characters of scripts without blanks: pairs are words."""
    cjk_word_weight: float = 0.3
    """Weight of a longer word of these scripts, in addition to its pairs."""
    cjk_heading_weight: float = 1.5
    """Weight of several such words, in any order, in one title or heading."""
    max_cjk_words: int = 8
    """Longer queries are prose, whose words are in no heading."""
    phrase_weight: float = 1.0
    """Weight of the whole query as a phrase in a title or heading."""
    exact_weight: float = 1.0
    """Weight of the whole query as an exact title or heading."""
    named_weight: float = 0.15
    """Weight of one to four adjacent words of the query as an exact title or heading.
    """
    named_code_weight: float = 1.0
    """Weight of a name that is written as code as an exact title or heading: it is no
    word of the question that a heading has by chance."""
    named_words: int = 4
    max_named_words: int = 12
    """Words of a query up to which titles and headings are sought in it."""
    identifier_weight: float = 0.7
    """Weight of the parts of `a_b`, `a.b`, `a/b`, `a::b` as a phrase."""
    identifier_words: int = 12

    min_corrected_letters: int = 4
    """Minimum letters of a corrected word: short words are near too many others."""
    max_corrected_letters: int = 24
    max_corrected_words: int = 8
    """Words of one query that are corrected at most, to bound the time."""
    corrections: int = 2
    near_weight: float = 0.9
    """Weight of a word at one edit; a transposition is one."""
    other_start: float = 0.3
    """Weight of corrections with another first letter, which are rare: only used for
    words that nothing else explains."""
    far_letters: int = 8
    """Minimum letters of words for which two edits are tried."""
    far_weight: float = 0.7
    completions: int = 3
    completion_weight: float = 0.8
    """Weight of completions of an unknown word."""
    split_weight: float = 0.7
    """Weight of two words that were typed as one."""
    join_weight: float = 1.0
    """Weight of one word that was typed as two to four."""
    join_words: int = 4
    last_words: int = 5
    """Words up to which the last one of a query is also completed."""
    min_last_letters: int = 2
    """Minimum letters of the last word, if it is completed while it is typed or is
    unknown."""
    last_completions: int = 5
    last_weight: float = 0.3
    synonyms: Synonyms = BUILT_IN
    """Words and phrases that are searched for others, too."""
    synonym_weight: float = 0.8
    """Weight of a synonym: the word that was typed comes first."""
    max_synonyms: int = 8
    """Phrases of one query for which synonyms are searched, and synonyms of each."""
    max_prefix_words: int = 50
    """Words that `term*` expands to, the most frequent ones."""

    max_operator_words: int = 12
    max_operator_chars: int = 200
    """Longer queries are prose, in which operators are not recognized."""

    max_ranked: int = 1_000
    """Maximum number of documents that are ranked and counted."""
    fused_pages: int = 100
    fused_sections: int = 300
    """Entries of each list that are merged."""
    section_share: float = 0.4
    """Share of the section score in a document's score."""
    next_share: float = 0.1
    """Weight of each further section in the section score."""
    next_sections: int = 3
    missing: float = 0.8
    """Factor on a list's lowest score, for documents not in it."""
    demoted_share: float = 0.6
    """Factor on the score of changelogs and release notes: they mention everything and
    explain little. Not if the query asks for them."""
    changelogs: tuple[str, ...] = ()
    """Patterns of further paths that count as changelogs."""
    secondary_share: float = 0.5
    """Factor on the score of secondary documents, as pages of old versions are. Of 810
    queries on a tree with three altered old versions of each page, none found an old
    page before the same page of the default version if both matched; at 0.6 one did, at
    0.8 a dozen. A page that only an old version has is still found. See D-164."""


INDEX_POLICY: Final = IndexPolicy()
QUERY_POLICY: Final = QueryPolicy()
