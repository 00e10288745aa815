"""Terms of a query: how much they count, and how many pages and sections have them."""

import math
from collections.abc import Mapping

from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.query.plan import Plan, Word
from asdlc_kb.search.values import TermFrequency


def count_terms(
    view: VisibleIndex, plan: Plan, policy: QueryPolicy
) -> dict[str, TermFrequency]:
    """Return the weight of each stem that is searched for, and how often it occurs.

    Stop words are left out, unless there are no others.
    """
    pages, sections = view.snapshot.pages, view.snapshot.sections
    terms: dict[str, TermFrequency] = {}
    words = [word for word in plan.words if word.text not in plan.stop_words]
    weight = policy.synonym_weight
    phrases = [phrase for _, phrase in plan.synonyms]
    synonyms = [Word(text, weight) for phrase in phrases for text in phrase]
    for word in [*(words or plan.words), *synonyms]:
        parts = [(part, 1.0) for part in word.parts or ()]
        for text, weight in [(word.text, 1.0), *word.variants, *parts]:
            for (stem,), _ in plan.stem(text):
                counts = pages.doc_freq("all", stem), sections.doc_freq("all", stem)
                term = TermFrequency(weight * word.weight, *counts)
                terms[stem] = max(terms.get(stem, term), term)
    return terms


def weigh_terms(
    view: VisibleIndex, terms: Mapping[str, TermFrequency]
) -> dict[str, float]:
    """Return the inverse document frequency weight of each stem, for snippets."""
    pages = max(view.snapshot.pages.num_docs, 1)
    return {
        stem: math.log(1 + pages / (1 + term.documents)) * term.weight
        for stem, term in terms.items()
    }
