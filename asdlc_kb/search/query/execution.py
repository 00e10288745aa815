"""One search: from what was typed to hits, on one shelf, for one reader."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.search.analyzer import stem, tokenize
from asdlc_kb.search.index.index_schema import PAGES, at_slot
from asdlc_kb.search.index.index_snapshot import IndexSnapshot, VisibleIndex
from asdlc_kb.search.policy import POLICY, SearchPolicy
from asdlc_kb.search.query.engine_query import (
    Conditions,
    among,
    score_only,
    score_pages,
    score_sections,
    within,
)
from asdlc_kb.search.query.operators import Leaf, Parsed, parse_query
from asdlc_kb.search.query.plan import Plan, Planner, Word
from asdlc_kb.search.query.ranking import Ranked, Ranking, merge_scores
from asdlc_kb.search.query.snippet import make_snippet
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.tokens import STOP_WORDS, is_cjk
from asdlc_kb.search.values import IndexedSection, SearchHit, SearchResults

MAX_HEADING_CHARS: Final = 200
"""Characters of the heading of a hit; a longer anchor, which leads nowhere when it is
cut, is left out."""


_FARTHEST: Final = 3
"""Edits from a word to one that is suggested; half of its letters are left anyway."""

_TOGETHER: Final = 100
"""Sections that are looked through for the best ones of all pages of an answer."""

_MAX_NESTED_SECTIONS: Final = 2_000
"""Sections of a page up to which it is found out which of them stand below which."""

_NOWHERE: Final = IndexedSection("", "", 0, 1, "")

_Ranked: TypeAlias = Ranked[tantivy.DocAddress]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Which part of what answer is wanted."""

    query: str
    limit: int
    offset: int = 0
    category: str | None = None
    snippet_length: int = 200
    policy: SearchPolicy = field(default=POLICY)


def run_search(
    shelf: IndexSnapshot, asked: SearchRequest, accepts: Callable[[str, bytes], bool]
) -> SearchResults:
    """Return what of a shelf fits, of what the reader may see."""
    view = VisibleIndex(shelf, accepts)
    text = asked.query[: asked.policy.longest_query].replace("\0", " ")
    parsed = parse_query(text, asked.policy)
    results = _SearchRun(view, asked, parsed).run()
    if results.total:
        return results
    return SearchResults(suggestion=_suggest(view, asked, parsed, text))


class _SearchRun:
    """A query on its way."""

    def __init__(
        self, view: VisibleIndex, asked: SearchRequest, parsed: Parsed
    ) -> None:
        self._view = view
        self._asked = asked
        self._parsed = parsed
        self._plan: Plan = Planner(view, asked.policy).plan(parsed)
        self._scored = score_sections(self._plan, asked.policy)

    def run(self) -> SearchResults:
        """Return the results."""
        asked, plan = self._asked, self._plan
        if not (plan.words or self._parsed.is_strict):
            return SearchResults()
        ranked = self.rank()
        wanted = ranked.cut(asked.offset, asked.offset + asked.limit)
        weights = self._weigh()
        places = self._place(wanted)
        hits = tuple(self._show(one, places.get(one.slot), weights) for one in wanted)
        joined = [pair for pair in plan.joined if ranked and self._is_telling(*pair)]
        corrected = (*joined, *plan.corrected) if ranked else ()
        return SearchResults(hits, len(ranked), tuple(dict.fromkeys(corrected)))

    def _is_telling(self, typed: str, joined: str) -> bool:
        """Whether a joined word finds a page alone, or a part of it is nowhere."""
        view, policy, parsed = self._view, self._asked.policy, self._parsed
        if not all(map(view.has, typed.split())):
            return True
        if parsed.required:
            return False
        others = self._list_typed()
        if any(other.text == joined for other in others):
            return False
        conditions = Conditions(Speller(view, policy), self._plan, policy)
        alone = score_only(joined, others, policy)
        query = conditions.restrict(alone, parsed, self._asked.category)
        return bool(view.keep(view.find_pages(query, policy.deepest)))

    def _list_typed(self) -> list[Word]:
        """Return the words that were typed; no stop words, unless there are no others.

        These find nearly everything, so that nothing would be found without them.
        """
        words = self._plan.words[len(self._plan.joined) :]
        return [word for word in words if word.text not in STOP_WORDS] or words

    def rank(self) -> Ranking[tantivy.DocAddress]:
        """Return everything that fits, best first."""
        asked, view = self._asked, self._view
        policy = asked.policy
        conditions = Conditions(Speller(view, policy), self._plan, policy)
        scored = score_pages(self._plan, policy)
        query = conditions.restrict(scored, self._parsed, asked.category)
        pages = view.keep(view.find_pages(query, policy.deepest))
        found = view.find_sections(self._scored, policy.fused_sections)
        sections = view.keep(found)
        is_strict = self._parsed.is_strict or asked.category is not None
        return merge_scores(pages, sections, is_strict=is_strict, policy=policy)

    def _weigh(self) -> dict[str, float]:
        """Return how much each word tells, for choosing passages."""
        pages = self._view.shelf.pages
        most = max(pages.num_docs, 1)
        weights: dict[str, float] = {}
        words = [w for w in self._plan.words if w.text not in STOP_WORDS]
        for word in words or self._plan.words:
            others = [(other, weight) for other, weight in word.variants]
            parts = [(part, 1.0) for part in word.parts or ()]
            for text, weight in [(word.text, 1.0), *others, *parts]:
                known = stem(text)
                rarity = math.log(1 + most / (1 + pages.doc_freq("all", known)))
                worth = rarity * weight * word.weight
                weights[known] = max(weights.get(known, 0.0), worth)
        return weights

    def _show(
        self, one: _Ranked, place: tantivy.DocAddress | None, weights: dict[str, float]
    ) -> SearchHit:
        entry = self._view.shelf.entries[one.slot]
        section = self._read(one.slot, place)
        length = self._asked.snippet_length
        return SearchHit(
            entry.key,
            round(one.score, 4),
            section.heading[:MAX_HEADING_CHARS],
            section.anchor if len(section.anchor) <= MAX_HEADING_CHARS else "",
            section.line,
            make_snippet(section.text, weights, _stem_of, length),
        )

    def _read(self, slot: int, place: tantivy.DocAddress | None) -> IndexedSection:
        """Return the section to show: one that has something to be read, if any has.

        Below a heading that has only others below it, it is the best of theirs.
        """
        view, section = self._view, _NOWHERE
        if place is not None:
            number, section = view.read_numbered(place)
            if section.text.strip():
                return section
            if below := self._find_below(slot, number, section.level):
                return below
        for *_, page in view.find_pages(at_slot(PAGES, slot), 1):
            if description := view.read_page(page).description:
                return replace(_NOWHERE, text=description)
        return section

    def _find_below(self, slot: int, number: int, level: int) -> IndexedSection | None:
        """Return the best section with a text among those that one has below it."""
        found = self._view.find_sections(
            among(self._scored, slot), _MAX_NESTED_SECTIONS
        )
        if len(found) == _MAX_NESTED_SECTIONS:
            return None
        read = [(score, *self._view.read_numbered(at)) for _, score, at in found]
        after = [one for one in read if one[1] > number]
        end = min((n for _, n, s in after if s.level <= level), default=math.inf)
        below = [one for one in after if one[1] < end and one[2].text.strip()]
        best = max(below, key=lambda one: (one[0], -one[1]), default=None)
        return best[2] if best else None

    def _place(self, wanted: list[_Ranked]) -> dict[int, tantivy.DocAddress]:
        """Return the section of each page that fits best, or its beginning."""
        places = {one.slot: one.section for one in wanted if one.section is not None}
        lost = [one.slot for one in wanted if one.slot not in places]
        if lost:
            # One search for all of them is quicker, and mostly enough.
            inside = within(self._scored, lost)
            for slot, _, place in self._view.find_sections(inside, _TOGETHER):
                places.setdefault(slot, place)
        for slot in lost:
            if slot not in places:
                places |= self._place_alone(slot)
        return places

    def _place_alone(self, slot: int) -> dict[int, tantivy.DocAddress]:
        for query in (self._scored, tantivy.Query.all_query()):
            for _, _, place in self._view.find_sections(within(query, [slot]), 1):
                return {slot: place}
        return {}


def _stem_of(word: str) -> str:
    return stem(word)


def _suggest(
    view: VisibleIndex, asked: SearchRequest, parsed: Parsed, text: str
) -> str | None:
    """Return a query that finds something where this one does not."""
    if parsed.is_strict:
        # The words alone, without what was demanded of them.
        texts = [leaf.text for leaf in parsed.leaves if leaf.field != "category"]
    else:
        texts = [text]
    words = [word for one in texts for word in tokenize(one)]
    if len(words) > asked.policy.operator_words:
        return None
    speller = Speller(view, asked.policy)
    suggestion = " ".join(filter(None, (_correct(view, speller, w) for w in words)))
    if not suggestion or suggestion == text.casefold().strip():
        return None
    plain = Parsed((Leaf(suggestion),))
    return suggestion if _SearchRun(view, asked, plain).rank() else None


def _correct(view: VisibleIndex, speller: Speller, word: str) -> str:
    """Return a word, the known one that is nearest to it, or nothing."""
    if view.knows(word) or is_cjk(word):
        return word
    farthest = min(_FARTHEST, (len(word) - 1) // 2)
    reached = list(speller.reach(word, farthest)) if farthest > 0 else []
    for most in range(1, farthest + 1):
        near = [o for o, edits in reached if edits <= most and view.knows(o)]
        if near:
            count = view.shelf.pages.doc_freq
            return max(near, key=lambda other: (count("words", other), other))
    return ""
