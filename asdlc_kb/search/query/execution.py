"""Query execution: a search request to hits, on one snapshot, with access control."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, TypeAlias

import tantivy

from asdlc_kb.search.analyzer import stem, tokenize
from asdlc_kb.search.index.index_schema import PAGES, slot_query
from asdlc_kb.search.index.index_snapshot import IndexSnapshot, VisibleIndex
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.query.engine_query import (
    Conditions,
    limit_to_pages,
    score_only,
    score_pages,
    score_sections,
    sections_of_page,
)
from asdlc_kb.search.query.operators import Leaf, Parsed, parse_query
from asdlc_kb.search.query.plan import Plan, Planner, Word
from asdlc_kb.search.query.ranking import Ranked, Ranking, merge_scores
from asdlc_kb.search.query.snippet import make_snippet
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.tokens import STOP_WORDS, is_cjk
from asdlc_kb.search.values import (
    IndexedSection,
    SearchHit,
    SearchRequest,
    SearchResults,
)

MAX_HEADING_CHARS: Final = 200
"""Characters of a hit's heading; a longer anchor is omitted, because it would break if
truncated."""


_MAX_SUGGESTION_EDITS: Final = 3
"""Edits between a word and its suggestion; at least half of its letters remain."""

_MAX_SHARED_SECTIONS: Final = 100
"""Sections fetched to find the best ones of all result pages."""

_MAX_NEXT_SECTIONS: Final = 8
"""Further sections of a page that a passage may take."""

_MAX_NESTED_SECTIONS: Final = 2_000
"""Sections of a page up to which their nesting is resolved."""

_NO_SECTION: Final = IndexedSection("", "", 0, 1, "")

_Ranked: TypeAlias = Ranked[tantivy.DocAddress]


def run_search(
    snapshot: IndexSnapshot, request: SearchRequest, policy: QueryPolicy = QUERY_POLICY
) -> SearchResults:
    """Search a snapshot, limited to the documents that the request accepts."""
    speller = Speller(VisibleIndex(snapshot, request.accepts), policy)
    text = request.query[: policy.max_query_chars].replace("\0", " ")
    parsed = parse_query(text, policy)
    results = _SearchRun(request, parsed, speller, policy).run()
    if results.total:
        return results
    return SearchResults(suggestion=_suggest(request, parsed, speller, policy, text))


class _SearchRun:
    """The execution of one query."""

    def __init__(
        self,
        request: SearchRequest,
        parsed: Parsed,
        speller: Speller,
        policy: QueryPolicy,
    ) -> None:
        self._view = speller.view
        self._request = request
        self._parsed = parsed
        self._policy = policy
        self._plan: Plan = Planner(speller, policy).plan(parsed)
        self._conditions = Conditions(speller, self._plan, policy)
        self._scored = score_sections(self._plan, policy)

    def run(self) -> SearchResults:
        """Execute the query."""
        request, plan = self._request, self._plan
        if not (plan.words or self._parsed.is_strict):
            return SearchResults()
        ranked = self.rank()
        page_results = ranked.cut(request.offset, request.offset + request.limit)
        weights = self._weigh()
        addresses = self._find_best_sections(page_results)
        hits = tuple(
            self._make_hit(
                page,
                addresses.get(page.slot),
                weights,
                has_passage=at < request.passages,
            )
            for at, page in enumerate(page_results)
        )
        joined = [
            pair for pair in plan.joined if ranked and self._is_useful_join(*pair)
        ]
        corrected = (*joined, *plan.corrected) if ranked else ()
        corrected = tuple(dict.fromkeys(corrected))
        return SearchResults(hits, len(ranked), corrected, weights=weights)

    def _is_useful_join(self, typed: str, joined: str) -> bool:
        """Whether only the joined word finds some page, or a part of it is unknown."""
        view, policy, parsed = self._view, self._policy, self._parsed
        if not all(map(view.has_word, typed.split())):
            return True
        if parsed.required:
            return False
        others = self._content_words()
        if any(other.text == joined for other in others):
            return False
        alone = score_only(joined, others, policy)
        query = self._conditions.restrict(alone, parsed, self._request.category)
        return bool(view.filter_visible(view.find_pages(query, policy.max_ranked)))

    def _content_words(self) -> list[Word]:
        """Return the typed words without stop words, unless there are no others.

        Stop words match nearly everything, so excluding their matches leaves nothing.
        """
        words = self._plan.words[len(self._plan.joined) :]
        return [word for word in words if word.text not in STOP_WORDS] or words

    def rank(self) -> Ranking[tantivy.DocAddress]:
        """Return all matching pages, best first."""
        view, policy, category = self._view, self._policy, self._request.category
        scored = score_pages(self._plan, policy)
        query = self._conditions.restrict(scored, self._parsed, category)
        pages = view.filter_visible(view.find_pages(query, policy.max_ranked))
        section_hits = view.find_sections(self._scored, policy.fused_sections)
        sections = view.filter_visible(section_hits)
        is_strict = self._parsed.is_strict or category is not None
        return merge_scores(pages, sections, is_strict=is_strict, policy=policy)

    def _weigh(self) -> dict[str, float]:
        """Return the inverse document frequency weight of each stem, for snippets."""
        pages = self._view.snapshot.pages
        page_count = max(pages.num_docs, 1)
        weights: dict[str, float] = {}
        words = [w for w in self._plan.words if w.text not in STOP_WORDS]
        for word in words or self._plan.words:
            others = [(other, weight) for other, weight in word.variants]
            parts = [(part, 1.0) for part in word.parts or ()]
            for text, weight in [(word.text, 1.0), *others, *parts]:
                term = stem(text)
                rarity = math.log(1 + page_count / (1 + pages.doc_freq("all", term)))
                worth = rarity * weight * word.weight
                weights[term] = max(weights.get(term, 0.0), worth)
        return weights

    def _make_hit(
        self,
        page: _Ranked,
        address: tantivy.DocAddress | None,
        weights: dict[str, float],
        *,
        has_passage: bool,
    ) -> SearchHit:
        entry = self._view.snapshot.entries[page.slot]
        section = self._read_section(page.slot, address)
        return SearchHit(
            entry.key,
            round(page.score, 4),
            section.heading[:MAX_HEADING_CHARS],
            section.anchor if len(section.anchor) <= MAX_HEADING_CHARS else "",
            section.line,
            make_snippet(section.text, weights, stem, self._policy.max_snippet_chars),
            tuple(self._find_next_lines(page.slot, section.line))
            if has_passage
            else (),
        )

    def _find_next_lines(self, slot: int, line: int) -> Iterator[int]:
        """Yield where the best sections begin, without the one at `line`."""
        found = self._view.find_sections(
            sections_of_page(self._scored, slot), _MAX_NEXT_SECTIONS + 1
        )
        for _, score, address in found:
            _, section = self._view.read_numbered(address)
            if score and section.line != line and section.text.strip():
                yield section.line

    def _read_section(
        self, slot: int, address: tantivy.DocAddress | None
    ) -> IndexedSection:
        """Return the section to show, one with text if there is any.

        For a heading without own text, it is the best of its subsections.
        """
        view, section = self._view, _NO_SECTION
        if address is not None:
            number, section = view.read_numbered(address)
            if section.text.strip():
                return section
            if below := self._find_subsection(slot, number, section.level):
                return below
        for *_, page in view.find_pages(slot_query(PAGES, slot), 1):
            if description := view.read_page(page).description:
                return replace(_NO_SECTION, text=description)
        return section

    def _find_subsection(
        self, slot: int, number: int, level: int
    ) -> IndexedSection | None:
        """Return the best subsection with text."""
        section_hits = self._view.find_sections(
            sections_of_page(self._scored, slot), _MAX_NESTED_SECTIONS
        )
        if len(section_hits) == _MAX_NESTED_SECTIONS:
            return None
        read = [(score, *self._view.read_numbered(at)) for _, score, at in section_hits]
        after = [row for row in read if row[1] > number]
        end = min((n for _, n, s in after if s.level <= level), default=math.inf)
        below = [row for row in after if row[1] < end and row[2].text.strip()]
        best = max(below, key=lambda row: (row[0], -row[1]), default=None)
        return best[2] if best else None

    def _find_best_sections(
        self, page_results: list[_Ranked]
    ) -> dict[int, tantivy.DocAddress]:
        """Return the best section of each page, or its first one."""
        addresses = {
            page.slot: page.section for page in page_results if page.section is not None
        }
        missing = [page.slot for page in page_results if page.slot not in addresses]
        if missing:
            # One search for all of them is faster, and mostly sufficient.
            limited = limit_to_pages(self._scored, missing)
            for slot, _, address in self._view.find_sections(
                limited, _MAX_SHARED_SECTIONS
            ):
                addresses.setdefault(slot, address)
        for slot in missing:
            if slot not in addresses:
                addresses |= self._find_best_section(slot)
        return addresses

    def _find_best_section(self, slot: int) -> dict[int, tantivy.DocAddress]:
        for query in (self._scored, tantivy.Query.all_query()):
            for _, _, address in self._view.find_sections(
                limit_to_pages(query, [slot]), 1
            ):
                return {slot: address}
        return {}


def _suggest(
    request: SearchRequest,
    parsed: Parsed,
    speller: Speller,
    policy: QueryPolicy,
    text: str,
) -> str | None:
    """Return a corrected query that has results, or None."""
    if parsed.is_strict:
        # The words without their operators.
        texts = [leaf.text for leaf in parsed.leaves if leaf.field != "category"]
    else:
        texts = [text]
    words = [word for part in texts for word in tokenize(part)]
    if len(words) > policy.max_operator_words:
        return None
    suggestion = " ".join(filter(None, (_correct(speller, word) for word in words)))
    if not suggestion or suggestion == text.casefold().strip():
        return None
    plain = Parsed((Leaf(suggestion),))
    ranking = _SearchRun(request, plain, speller, policy).rank()
    return suggestion if ranking else None


def _correct(speller: Speller, word: str) -> str:
    """Return a word, its nearest known word, or an empty string."""
    view = speller.view
    if view.has_term(word) or is_cjk(word):
        return word
    max_edits = min(_MAX_SUGGESTION_EDITS, (len(word) - 1) // 2)
    reached = list(speller.reach(word, max_edits)) if max_edits > 0 else []
    for limit in range(1, max_edits + 1):
        near = [o for o, edits in reached if edits <= limit and view.has_term(o)]
        if near:
            count = view.snapshot.pages.doc_freq
            return max(near, key=lambda other: (count("words", other), other))
    return ""
