"""Query execution: a search request to hits, on one snapshot, with access control."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

import tantivy

from asdlc_kb.search.analyzer import tokenize
from asdlc_kb.search.changelogs import ASKS_FOR_CHANGES, is_changelog
from asdlc_kb.search.index.index_schema import PAGES, SECTIONS, slot_query
from asdlc_kb.search.index.index_snapshot import IndexSnapshot, VisibleIndex
from asdlc_kb.search.index.slot_filter import SlotFilter
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.query.engine_query import (
    Conditions,
    limit_to_pages,
    match_forms,
    score_only,
    score_pages,
    score_sections,
)
from asdlc_kb.search.query.exact_identifiers import (
    find_exact_identifiers,
    put_exact_first,
)
from asdlc_kb.search.query.hits import HitReader
from asdlc_kb.search.query.identifiers import find_parts
from asdlc_kb.search.query.meaning import (
    SEMANTIC_POLICY,
    Meaning,
    add_meaning,
    is_question,
)
from asdlc_kb.search.query.name_matches import find_name_matches
from asdlc_kb.search.query.operators import (
    MATCH_ALL,
    Leaf,
    Parsed,
    parse_query,
)
from asdlc_kb.search.query.plan import Plan, Planner, Word
from asdlc_kb.search.query.ranking import (
    Ranked,
    Ranking,
    demote_pages,
    merge_rankings,
    merge_scores,
    put_first,
    put_last,
    put_matches_first,
)
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.query.stem_twins import find_forms
from asdlc_kb.search.query.term_frequencies import count_terms, weigh_terms
from asdlc_kb.search.values import (
    IndexFrequencies,
    NameMatch,
    SearchHit,
    SearchRequest,
    SearchResults,
    TermFrequency,
)

_PAGE_FIELDS: Final = ("title", "tags", "category")

_MAX_PAGE_SECTIONS: Final = 2_000
"""Sections of a page among which its most similar one is looked up."""

_EVERY: Final = tantivy.Query.all_query()


def run_search(
    snapshot: IndexSnapshot,
    request: SearchRequest,
    policy: QueryPolicy = QUERY_POLICY,
    meaning: Meaning | None = None,
) -> SearchResults:
    """Search a snapshot, limited to the documents that the request accepts.

    With `meaning`, what pages mean counts as well as their words.
    """
    run = _plan_search(snapshot, request, policy, meaning)
    results = run.run()
    return results if results.total else run.suggest()


def run_unmatched(
    snapshot: IndexSnapshot,
    request: SearchRequest,
    policy: QueryPolicy = QUERY_POLICY,
    meaning: Meaning | None = None,
) -> SearchResults | None:
    """Return the results of a search that certainly finds nothing; None for another.

    It runs no query of the engine but to look up words, and none for a suggestion
    unless there is one.
    """
    run = _plan_search(snapshot, request, policy, meaning)
    return None if run.can_match else run.suggest()


def _plan_search(
    snapshot: IndexSnapshot,
    request: SearchRequest,
    policy: QueryPolicy,
    meaning: Meaning | None,
) -> "_SearchRun":
    text, parsed, speller = read_query(snapshot, request, policy)
    if meaning is not None and not is_question(parsed, text):
        meaning = None
    return _SearchRun(request, text, parsed, speller, policy, meaning)


def read_query(
    snapshot: IndexSnapshot, request: SearchRequest, policy: QueryPolicy
) -> tuple[str, Parsed, Speller]:
    """Return the query of a request, how it is understood, and the visible words."""
    view = VisibleIndex(snapshot, request.accepts, request.keys, request.language)
    text = request.query[: policy.max_query_chars].replace("\0", " ")
    parsed = parse_query(text, policy, view.has_category)
    if request.finds_all and not text.strip():
        parsed = MATCH_ALL
    return text, parsed, Speller(view, policy)


class _SearchRun:
    """The execution of one query."""

    def __init__(
        self,
        request: SearchRequest,
        text: str,
        parsed: Parsed,
        speller: Speller,
        policy: QueryPolicy,
        meaning: Meaning | None = None,
    ) -> None:
        self._meaning = meaning
        self._similar_sections: dict[int, int] = {}
        """The number of the most similar section of each similar page, by slot."""
        self._matches: Mapping[int, NameMatch] = {}
        """The pages of which a name equals the query, by slot, of a merged search."""
        self._view = speller.view
        self._speller = speller
        self._request = request
        self._text = text
        self._parsed = parsed
        self._policy = policy
        planner = Planner(speller, policy, is_typing=request.is_typing)
        self._plan: Plan = planner.plan(parsed)
        self._exact = find_exact_identifiers(self._plan, policy)

    @cached_property
    def _conditions(self) -> Conditions:
        return Conditions(self._speller, self._plan, self._policy)

    @cached_property
    def _scored(self) -> tantivy.Query:
        """The score of a section."""
        return score_sections(self._plan, self._policy)

    @property
    def can_match(self) -> bool:
        """Whether a visible document may match: it has a word, or a replacement of one.

        A document without any has none of their phrases either. If meaning counts, any
        document may match.
        """
        if self._parsed.is_strict or self._meaning is not None:
            return True
        is_known = any(map(self._is_known, self._plan.words))
        return is_known or bool(self._plan.synonyms)

    def _is_known(self, word: Word) -> bool:
        return bool(word.variants or word.parts) or self._view.has_word(word.text)

    def run(self) -> SearchResults:
        """Execute the query."""
        request, plan = self._request, self._plan
        if not self.can_match and request.named is None:
            return SearchResults()
        ranked = self.rank()
        cut = ranked.cut(request.offset, request.offset + request.limit)
        terms = count_terms(self._view, self._plan, self._policy)
        weights = weigh_terms(self._view, terms)
        reader = HitReader(
            self._view,
            self._scored,
            weights,
            self._policy,
            self._exact,
            shows_lead=_names_only_pages(self._parsed),
        )
        hits = reader.read(list(map(self._choose_section, cut)), request.passages)
        joined = [
            pair for pair in plan.joined if ranked and self._is_useful_join(*pair)
        ]
        corrected = dict.fromkeys((*joined, *plan.corrected)) if ranked else ()
        results = SearchResults(
            hits,
            len(ranked),
            tuple(corrected),
            weights=weights,
            unknown=plan.unknown,
            excluded=self._parsed.excluded_texts,
        )
        return self._describe(results, cut, terms) if request.is_merged else results

    def _describe(
        self,
        results: SearchResults,
        ranked: Sequence[Ranked[tantivy.DocAddress]],
        terms: Mapping[str, TermFrequency],
    ) -> SearchResults:
        """Return results with what other results are compared by."""
        matches = (self._matches.get(page.slot, NameMatch.NONE) for page in ranked)
        hits: Iterator[SearchHit] = (
            replace(hit, match=match)
            for hit, match in zip(results.hits, matches, strict=True)
        )
        snapshot = self._view.snapshot
        frequencies = IndexFrequencies(
            snapshot.pages.num_docs, snapshot.sections.num_docs, terms
        )
        return replace(results, hits=tuple(hits), frequencies=frequencies)

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
        alone = score_only(self._plan, joined, others, policy)
        query = self._conditions.restrict(alone, parsed, self._request.category)
        return bool(view.filter_visible(view.find_pages(query, policy.max_ranked)))

    def _content_words(self) -> list[Word]:
        """Return the typed words without stop words, unless there are no others.

        Stop words match nearly everything, so excluding their matches leaves nothing.
        """
        words = self._plan.words[len(self._plan.joined) :]
        stop_words = self._plan.stop_words
        return [word for word in words if word.text not in stop_words] or words

    def rank(self) -> Ranking[tantivy.DocAddress]:
        """Return all matching pages, best first, after the one that the query names."""
        ranking = self._rank_parts()
        if not any(word.text in ASKS_FOR_CHANGES for word in self._plan.words):
            ranking = demote_pages(ranking, self._is_changelog, self._policy)
        if self._exact and ranking:
            ranking = put_exact_first(
                ranking, self._exact, self._plan, self._scored, self._view
            )
        if forms := self._find_forms():
            query = match_forms(forms, (slot for _, slot, _ in ranking.rows()))
            hits = self._view.find_pages(query, self._policy.max_ranked)
            written = {slot for slot, *_ in hits}
            ranking = put_last(ranking, lambda slot: slot not in written)
        if self._request.is_merged:
            self._matches = find_name_matches(
                self._view, self._plan, self._is_behind, self._policy
            )
            ranking = put_matches_first(ranking, self._matches)
        named = self._find_named()
        if named is None:
            return ranking
        self._matches = {**self._matches, named[0]: NameMatch.ADDRESS}
        return put_first(ranking, named)

    def _find_forms(self) -> tuple[str, ...]:
        """Return the forms of the only word of a query, if it has twins."""
        stop_words = self._plan.stop_words
        words = [word for word in self._plan.words if word.text not in stop_words]
        if len(words) != 1 or words[0].is_corrected:
            return ()
        return find_forms(self._view, words[0].text)

    def _find_named(self) -> tuple[int, tantivy.DocAddress] | None:
        """Return slot and address of the visible page that the query names."""
        view, key = self._view, self._request.named
        slot = None if key is None else view.snapshot.slots.get(key)
        if slot is None or not view.is_visible(slot):
            return None
        query = slot_query(PAGES, slot)
        return next(((slot, at) for _, _, at in view.find_pages(query, 1)), None)

    def _key(self, slot: int) -> str:
        return self._view.snapshot.entries[slot].key

    def _is_changelog(self, slot: int) -> bool:
        return is_changelog(self._key(slot), self._policy.changelogs)

    def _is_behind(self, slot: int) -> bool:
        """Whether a page stands behind others, whatever its names are."""
        test = self._request.is_secondary
        return self._is_changelog(slot) or bool(test and test(self._key(slot)))

    def _rank_parts(self) -> Ranking[tantivy.DocAddress]:
        is_secondary = self._request.is_secondary
        parts = self._view.split(is_secondary) if is_secondary else ()
        if not parts:
            return self._rank()
        # Apart: many old versions of one page leave no other page in the limits.
        primary, secondary = map(self._rank, parts)
        read = self._request.read_edition
        by_slot = None if read is None else lambda slot: read(self._key(slot))
        return merge_rankings(primary, secondary, self._policy, by_slot)

    def _rank(self, part: SlotFilter | None = None) -> Ranking[tantivy.DocAddress]:
        """Return the matching pages of a part of the index, best first."""
        view, policy, category = self._view, self._policy, self._request.category
        scored = score_pages(self._plan, policy)
        query = self._conditions.restrict(scored, self._parsed, category)
        of_sections = self._scored
        if part is not None:
            query = part.restrict(PAGES, query)
            of_sections = part.restrict(SECTIONS, of_sections)
        pages = view.filter_visible(view.find_pages(query, policy.max_ranked))
        section_hits = view.find_sections(of_sections, policy.fused_sections)
        sections = view.filter_visible(section_hits)
        is_strict = self._parsed.is_strict or category is not None
        ranking = merge_scores(pages, sections, is_strict=is_strict, policy=policy)
        return self._add_meaning(ranking, part)

    def _add_meaning(
        self, ranking: Ranking[tantivy.DocAddress], part: SlotFilter | None
    ) -> Ranking[tantivy.DocAddress]:
        """Add the similarity of the pages that the query may find to a ranking."""
        if self._meaning is None:
            return ranking
        view, category = self._view, self._request.category
        allowed = None if part is None else part.slots
        if category is not None:
            every = self._conditions.restrict(_EVERY, self._parsed, category)
            hits = view.find_pages(every, max(1, view.snapshot.pages.num_docs))
            in_category = frozenset(slot for slot, *_ in hits)
            allowed = in_category if allowed is None else allowed & in_category

        def includes(slot: int, digest: bytes) -> bool:
            return (allowed is None or slot in allowed) and view.includes(slot, digest)

        similar = self._meaning.find(self._text, includes, SEMANTIC_POLICY.floor_rank)
        self._similar_sections |= {page.slot: page.section for page in similar}
        return add_meaning(ranking, similar, self._policy.max_ranked)

    def _choose_section(
        self, page: Ranked[tantivy.DocAddress]
    ) -> Ranked[tantivy.DocAddress]:
        """Return a page without a section of matching words with its most similar."""
        wanted = self._similar_sections.get(page.slot)
        if page.section is not None or wanted is None:
            return page
        sections = limit_to_pages(_EVERY, [page.slot])
        for *_, address in self._view.find_sections(sections, _MAX_PAGE_SECTIONS):
            if self._view.read_numbered(address)[0] == wanted:
                return page._replace(section=address)
        return page

    def suggest(self) -> SearchResults:
        """Return no results, with a corrected query if that has some."""
        return SearchResults(
            excluded=self._parsed.excluded_texts, suggestion=self._suggest()
        )

    def _suggest(self) -> str | None:
        parsed, policy, text = self._parsed, self._policy, self._text
        if parsed.is_strict:
            # The words without their operators.
            texts = [leaf.text for leaf in parsed.leaves if leaf.field != "category"]
        else:
            texts = [text]
        words = [word for part in texts for word in tokenize(part)]
        if len(words) > policy.max_operator_words:
            return None
        parts = frozenset().union(*map(find_parts, texts))
        corrected = (
            self._speller.suggest(word, is_part=word in parts) for word in words
        )
        suggestion = " ".join(filter(None, corrected))
        if not suggestion or suggestion == text.casefold().strip():
            return None
        plain = Parsed((Leaf(suggestion),))
        run = _SearchRun(self._request, suggestion, plain, self._speller, policy)
        return suggestion if run.rank() else None


def _names_only_pages(parsed: Parsed) -> bool:
    """Whether all words are about a page as a whole: no passage has the answer."""
    leaves = parsed.leaves
    return bool(leaves) and all(leaf.field in _PAGE_FIELDS for leaf in leaves)
