"""Explanation of a search: what was searched for, and the scores of each hit."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import tantivy

from asdlc_kb.search.analyzer import StemmedWords, tokenize
from asdlc_kb.search.index.index_schema import PAGES, SECTIONS, in_languages
from asdlc_kb.search.index.index_snapshot import IndexSnapshot, VisibleIndex
from asdlc_kb.search.index.slot_filter import SlotFilter
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.query.engine_query import score_pages, score_sections
from asdlc_kb.search.query.execution import read_query
from asdlc_kb.search.query.plan import Plan, Planner, Word
from asdlc_kb.search.values import SearchRequest, SearchResults

_FIELDS: Final = {"title": "title", "head": "heading", "tags": "tags", "body": "text"}
"""Names of the fields of pages, as in a query; `text` has the description too."""

_MAX_TERMS: Final = 200
"""Terms of which the matches are looked up."""


@dataclass(frozen=True, slots=True)
class ExplainedWord:
    """A word of the query, and what was searched for."""

    typed: str
    stems: tuple[str, ...]
    weight: float
    variants: tuple[tuple[str, float], ...] = ()
    """Corrections, completions and other variants, with their weights."""
    is_replaced: bool = False
    """Whether no page has the word: its variants are searched for instead."""
    parts: tuple[str, ...] = ()
    """The words into which it was split."""


@dataclass(frozen=True, slots=True)
class ExplainedPhrase:
    """Words that count more side by side, as stems."""

    stems: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class ExplainedMatch:
    """A term that a page has."""

    term: str
    """A stem."""
    fields: tuple[str, ...]
    """Where the page has it."""
    weight: float
    """The rarer, the higher."""


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """The parts of a score."""

    key: str
    score: float
    page_score: float
    section_score: float
    """Of the best section, with a share of the next ones."""
    section_share: float
    """The share of the section score in the score."""
    factor: float
    """Below 1 for a page of another than the default version or language."""
    rest: float
    """What the score has beyond these parts, as where the ranking estimates one."""
    matches: tuple[ExplainedMatch, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a query was understood as, and why its hits were found."""

    words: tuple[ExplainedWord, ...]
    ignored: tuple[str, ...]
    """Words like `the` that were not searched for."""
    phrases: tuple[ExplainedPhrase, ...]
    hits: tuple[ExplainedHit, ...]


def explain_search(
    snapshot: IndexSnapshot,
    request: SearchRequest,
    results: SearchResults,
    policy: QueryPolicy,
) -> Explanation:
    """Explain the results of a request on the same snapshot.

    It repeats parts of the search for each hit, which is too slow to do it each time.
    """
    _, parsed, speller = read_query(snapshot, request, policy)
    plan = Planner(speller, policy, is_typing=request.is_typing).plan(parsed)
    searched = {word.text for word in plan.words}
    typed = (word for leaf in parsed.leaves for word in tokenize(leaf.text))
    return Explanation(
        words=tuple(_explain_word(word, plan) for word in plan.words),
        ignored=tuple(dict.fromkeys(word for word in typed if word not in searched)),
        phrases=tuple(
            ExplainedPhrase(phrase.stems, phrase.weight) for phrase in plan.phrases
        ),
        hits=tuple(_explain_hits(speller.view, plan, request, results, policy)),
    )


def _explain_word(word: Word, plan: Plan) -> ExplainedWord:
    stems = dict.fromkeys(stem for (stem,), _ in plan.stem(word.text))
    return ExplainedWord(
        typed=word.text,
        stems=tuple(stems),
        weight=word.weight,
        variants=word.variants,
        is_replaced=word.is_corrected or word.parts is not None,
        parts=word.parts or (),
    )


def _explain_hits(
    view: VisibleIndex,
    plan: Plan,
    request: SearchRequest,
    results: SearchResults,
    policy: QueryPolicy,
) -> Iterator[ExplainedHit]:
    slots = [view.snapshot.slots[hit.key] for hit in results.hits]
    if not slots:
        return
    pages, sections = score_pages(plan, policy), score_sections(plan, policy)
    chosen = SlotFilter(frozenset(slots), view.snapshot.entries)
    scores = {
        slot: score
        for slot, score, _ in view.find_pages(chosen.restrict(PAGES, pages), len(slots))
    }
    secondary = _list_secondary(view, request)
    matches = dict(_find_matches(view, plan, chosen, results))
    share = policy.section_share
    for slot, hit in zip(slots, results.hits, strict=True):
        page_score = round(scores.get(slot, 0.0), 4)
        section_score = _score_sections(view, sections, slot, policy)
        factor = policy.secondary_share if slot in secondary else 1.0
        parts = factor * ((1 - share) * page_score + share * section_score)
        yield ExplainedHit(
            key=hit.key,
            score=hit.score,
            page_score=page_score,
            section_score=section_score,
            section_share=share,
            factor=factor,
            rest=round(hit.score - parts, 2),
            matches=tuple(
                ExplainedMatch(term, tuple(fields[slot]), _weigh(results, term))
                for term, fields in matches.items()
                if slot in fields
            ),
        )


def _list_secondary(view: VisibleIndex, request: SearchRequest) -> frozenset[int]:
    """Return the slots of the pages that stand behind others."""
    if request.is_secondary is None:
        return frozenset()
    parts = view.split(request.is_secondary)
    return parts[1].slots if parts else frozenset()


def _score_sections(
    view: VisibleIndex, query: tantivy.Query, slot: int, policy: QueryPolicy
) -> float:
    """Return the combined score of a page's sections, as the ranking does."""
    one = SlotFilter(frozenset((slot,)), view.snapshot.entries)
    found = view.find_sections(one.restrict(SECTIONS, query), policy.next_sections + 1)
    best, *others = [score for _, score, _ in found] or [0.0]
    return round(best + policy.next_share * sum(others), 4)


def _find_matches(
    view: VisibleIndex, plan: Plan, chosen: SlotFilter, results: SearchResults
) -> Iterator[tuple[str, dict[int, list[str]]]]:
    """Yield each term, and the fields with it of each page, by slot."""
    terms = sorted(_list_terms(plan), key=lambda term: -_weigh(results, term.stems[0]))
    for term in terms[:_MAX_TERMS]:
        fields: dict[int, list[str]] = {}
        for field, name in _FIELDS.items():
            query = tantivy.Query.term_query(
                PAGES, field, term.stems[0], index_option="basic"
            )
            query = in_languages(PAGES, query, term.stemmers)
            restricted = chosen.restrict(PAGES, query)
            for slot, *_ in view.find_pages(restricted, len(chosen.slots)):
                fields.setdefault(slot, []).append(name)
        if fields:
            yield term.stems[0], fields


def _list_terms(plan: Plan) -> Iterable[StemmedWords]:
    """Return the distinct stems of all words and their variants."""
    found: dict[StemmedWords, None] = {}
    for word in plan.words:
        texts = (word.text, *(other for other, _ in word.variants), *(word.parts or ()))
        for text in texts:
            found.update(dict.fromkeys(plan.stem(text)))
    return found


def _weigh(results: SearchResults, term: str) -> float:
    return round(results.weights.get(term, 0.0), 2)
