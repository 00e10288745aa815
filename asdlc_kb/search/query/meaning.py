"""Score fusion of words and meaning: what the sections of a page mean counts a little.

The score of a page is that of its words, and a share for the similarity of its best
section to the query. Ranks are not fused: that was measured to lose pages that only one
word identifies.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from asdlc_kb.search.analyzer import tokenize
from asdlc_kb.search.query.operators import Parsed
from asdlc_kb.search.query.ranking import Ranking
from asdlc_kb.search.tokens import STOP_WORDS
from asdlc_kb.search.values import SimilarPage

P = TypeVar("P")

_ASKING: Final = re.compile(
    r"\W*(?:what|how|why|when|where|which|who|whom|whose|can|could|do|does|did|is|are"
    r"|was|were|should|will|would|must|has|have|am|shall)\b"
    r"|.*[,.;:] (?:what|how|why|when|where|which|who|can|could|do|does|is|should)\b"
    r"|(?:.*\W)?(?:I|me|my|we|our)\b(?![./:_(\[])"
    r"|.*\?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
"""A question in English: by the first word of it or of a clause, by what is said of
oneself, or by its mark."""


@dataclass(frozen=True, slots=True)
class SemanticPolicy:
    """The weights of similarity in a score."""

    share: float = 0.2
    """Share of the similarity in a page's score. On ten judged collections .1 to .4
    gain in the mean, most at .2 to .3; at .2 queries for known pages lose least."""
    min_words: int = 4
    """Words of a question from which it is compared: fewer are names of things."""
    floor_rank: int = 100
    """Rank of the page whose similarity counts as none."""
    min_similarity: float = 0.3
    """Similarity of the best page below which none counts: questions that a collection
    answers have .45 and more, those on another subject .2 to .4."""
    min_alone: float = 0.45
    """The same if no page has a word of the query."""


SEMANTIC_POLICY: Final = SemanticPolicy()


class Meaning(Protocol):
    """Finds pages by meaning."""

    def find(
        self, text: str, includes: Callable[[int, bytes], bool], limit: int
    ) -> Sequence[SimilarPage]:
        """Return the most similar pages, best first.

        `includes` is called with the slot of a page and the digest of its content.
        """


def is_question(parsed: Parsed, text: str) -> bool:
    """Whether a query is a question in English, without operators.

    Names, headings, errors and quotations are found best by their words.
    """
    if parsed.is_strict or any(
        leaf.field or leaf.sign or leaf.is_phrase or leaf.is_prefix
        for leaf in parsed.leaves
    ):
        return False
    if len(text.split()) < SEMANTIC_POLICY.min_words:
        return False
    is_asked = _ASKING.match(text) is not None
    return is_asked and not STOP_WORDS.issuperset(tokenize(text))


def add_meaning(
    ranking: Ranking[P],
    similar: Sequence[SimilarPage],
    max_ranked: int,
    policy: SemanticPolicy = SEMANTIC_POLICY,
) -> Ranking[P]:
    """Add the similarity of pages, best first, to the scores of a ranking.

    Pages that have no word of the query may be added. The scores keep their scale.
    """
    threshold = policy.min_similarity if len(ranking) else policy.min_alone
    if not similar or similar[0].similarity < threshold:
        return ranking
    best = similar[0].similarity
    least = similar[-1].similarity if len(similar) > 1 else 0.0
    if best <= least:
        return ranking
    top = -ranking.head[0][0] if ranking.head else 1.0
    factor = policy.share * top / (best - least)
    added = {page.slot: factor * (page.similarity - least) for page in similar}
    own = 1 - policy.share
    head = [
        (own * score - added.pop(slot, 0.0), slot, address)
        for score, slot, address in ranking.head
    ]
    lowest = own * -ranking.head[-1][0] if ranking.head else 0.0
    tail: list[tuple[int, float, P]] = []
    for slot, score, address in ranking.tail:
        more = added.pop(slot, 0.0)
        if more:
            head.append((-min(lowest, own * score) - more, slot, address))
        else:
            tail.append((slot, own * score, address))
    head += [(-more, slot, None) for slot, more in added.items() if more]
    head.sort()
    most = max(0, max_ranked - len(head))
    return Ranking(head[:max_ranked], ranking.best, tail[:most])
