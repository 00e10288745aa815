"""Tantivy queries built from a plan. User input never reaches tantivy's own parser."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import tantivy
from tantivy import Occur, Query

from asdlc_kb.search.analyzer import StemmedWords, stem_words, tokenize
from asdlc_kb.search.index.index_schema import (
    PAGES,
    SECTIONS,
    in_languages,
    slot_query,
    slots_query,
)
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.query.operators import Leaf, Parsed, QueryNode
from asdlc_kb.search.query.plan import Phrase, Plan, Word
from asdlc_kb.search.query.speller import Speller

_MAX_TITLE_WORDS: Final = 60
"""Words up to which a whole query is matched as a phrase in titles."""


def score_pages(plan: Plan, policy: QueryPolicy) -> Query:
    """Return the query that scores pages."""
    return _score(PAGES, plan, ("title", "head"), policy)


def score_sections(plan: Plan, policy: QueryPolicy) -> Query:
    """Return the query that scores sections."""
    return _score(SECTIONS, plan, ("head",), policy)


def limit_to_pages(query: Query, slots: Sequence[int]) -> Query:
    """Restrict a query for sections to some pages."""
    pages = _match_any(slot_query(SECTIONS, slot) for slot in slots)
    return Query.boolean_query([(Occur.Must, query), (Occur.Must, _unscored(pages))])


def sections_of_page(query: Query, slot: int) -> Query:
    """Return a query for all sections of a page, scored by another query."""
    page = _unscored(slot_query(SECTIONS, slot))
    return Query.boolean_query([(Occur.Must, page), (Occur.Should, query)])


def score_only(
    plan: Plan, word: str, others: Iterable[Word], policy: QueryPolicy
) -> Query:
    """Return a query for pages that have a word and none of the others."""
    without = [(Occur.MustNot, _word(PAGES, plan, other, policy)) for other in others]
    return Query.boolean_query(
        [(Occur.Must, _any_stem(PAGES, "all", plan.stem(word))), *without]
    )


def match_forms(words: Sequence[str], slots: Iterable[int]) -> Query:
    """Return a query for those of some pages that have one of some words as written."""
    written = _match_any(_term(PAGES, "words", word) for word in words)
    return _match_all([_unscored(slots_query(PAGES, slots)), written])


def match_adjacent(
    scored: Query, phrases: Iterable[Sequence[str]], plan: Plan
) -> Query:
    """Restrict a query for sections to those with the words of a phrase side by side.

    They have a score also if the query does not match them.
    """
    adjacent = _match_any(
        _phrase(SECTIONS, "all", Phrase(stems, 1.0, stemmers=stemmers))
        for words in phrases
        for stems, stemmers in stem_words(words, plan.stemmers)
    )
    clauses = [(Occur.Must, _unscored(adjacent)), (Occur.Should, scored)]
    return Query.boolean_query(clauses)


def match_names(schema: tantivy.Schema, plan: Plan) -> Query:
    """Return a query for titles or headings that equal the whole query."""
    return _match_any(_equals(schema, whole) for whole in plan.whole if whole.stems)


class Conditions:
    """Filters on pages, independent of their score."""

    def __init__(self, speller: Speller, plan: Plan, policy: QueryPolicy) -> None:
        self._speller = speller
        self._policy = policy
        self._plan = plan
        self._words = {word.text: word for word in plan.words}

    def restrict(self, scored: Query, parsed: Parsed, category: str | None) -> Query:
        """Restrict a scoring query by the operators of a query, and by a category."""
        clauses = [(Occur.Must, _unscored(self._node(n))) for n in parsed.required]
        clauses += [(Occur.MustNot, self._node(n)) for n in parsed.excluded]
        if category is not None:
            clauses.append((Occur.Must, _unscored(_term_of_category(category))))
        if not clauses:
            return scored
        if parsed.required:
            clauses.append((Occur.Should, scored))
        elif parsed.leaves:
            clauses.append((Occur.Must, scored))
        else:
            clauses.append((Occur.Must, Query.all_query()))
        return Query.boolean_query(clauses)

    def _node(self, node: QueryNode) -> Query:
        if isinstance(node, Leaf):
            return self._leaf(node)
        queries = [self._signed(inner) for inner in node.nodes]
        if node.kind == "any":
            return _match_any(
                _invert(q) if o == Occur.MustNot else q for o, q in queries
            )
        if node.kind == "none":
            return _invert(*(query for _, query in queries))
        if all(occur == Occur.MustNot for occur, _ in queries):
            queries.append((Occur.Must, Query.all_query()))
        return Query.boolean_query(queries)

    def _signed(self, node: QueryNode) -> tuple[Occur, Query]:
        is_excluded = isinstance(node, Leaf) and node.sign == "-"
        return (Occur.MustNot if is_excluded else Occur.Must), self._node(node)

    def _leaf(self, leaf: Leaf) -> Query:
        if leaf.field == "category":
            return _term_of_category(leaf.text)
        field = leaf.field or "all"
        texts = tokenize(leaf.text)[: self._policy.max_words]
        if not texts:
            return Query.empty_query()
        if leaf.is_prefix:
            others = self._speller.complete(texts[-1], self._policy.max_prefix_words)
            stems = {
                stemmed
                for other in (texts[-1], *others)
                for stemmed in self._plan.stem(other)
            }
            last = _any_stem(PAGES, field, sorted(stems))
            return _match_all([*(self._stem(field, t) for t in texts[:-1]), last])
        if leaf.is_phrase or len(texts) > 1:
            phrases = stem_words(texts, self._plan.stemmers)
            return _match_one(
                in_languages(PAGES, _adjacent(field, stems), stemmers)
                for stems, stemmers in phrases
            )
        return self._required_word(field, texts[0])

    def _stem(self, field: str, text: str) -> Query:
        """Return a query for the stems of a word."""
        return _any_stem(PAGES, field, self._plan.stem(text))

    def _required_word(self, field: str, text: str) -> Query:
        """Return a query for a word, or for its corrections if it is unknown."""
        word = self._words.get(text)
        if word and word.parts:
            return _match_all([self._stem(field, part) for part in word.parts])
        weighted_stems = _weigh_stems(
            self._plan, word if word and word.is_corrected else None, text
        )
        return _any_stem(PAGES, field, (stemmed for stemmed, _ in weighted_stems))


def _score(
    schema: tantivy.Schema, plan: Plan, fields: tuple[str, ...], policy: QueryPolicy
) -> Query:
    clauses = [_word(schema, plan, word, policy) for word in plan.words]
    clauses += [_phrase(schema, "all", phrase) for phrase in plan.phrases]
    for stems, stemmers in plan.whole:
        if 1 < len(stems) <= _MAX_TITLE_WORDS:
            whole = Phrase(stems, policy.phrase_weight, stemmers=stemmers)
            clauses += [_phrase(schema, field, whole) for field in fields]
        if stems:
            exact = _equals(schema, StemmedWords(stems, stemmers))
            clauses.append(_boost(exact, policy.exact_weight))
    for name, weight in plan.named.items():
        clauses.append(_boost(_equals(schema, name), weight))
    if len(plan.cjk_words) > 1:
        words = [Phrase(stems, 1.0) for stems, _ in plan.cjk_words]
        # Of a page its title: the words may be in several of its headings.
        together = _match_all([_phrase(schema, fields[0], word) for word in words])
        clauses.append(_boost(together, policy.cjk_heading_weight))
    return Query.boolean_query([(Occur.Should, clause) for clause in clauses])


def _word(schema: tantivy.Schema, plan: Plan, word: Word, policy: QueryPolicy) -> Query:
    """Return a query scored by the best variant of a word, in text or title."""
    alternatives: list[Query] = []
    for stemmed, factor in _weigh_stems(plan, word, word.text):
        in_text = _stemmed(schema, "all", stemmed)
        alternatives.append(_boost(in_text, word.weight * factor))
        if schema is PAGES:
            in_title = _stemmed(schema, "title", stemmed)
            weight = word.weight * factor * policy.title_weight
            alternatives.append(_boost(in_title, weight))
    if word.parts:
        required_parts = [
            (Occur.Must, _any_stem(schema, "all", plan.stem(part)))
            for part in word.parts
        ]
        weight = word.weight * policy.split_weight / len(required_parts)
        alternatives.append(_boost(Query.boolean_query(required_parts), weight))
    return Query.disjunction_max_query(alternatives, policy.tie)


def _weigh_stems(
    plan: Plan, word: Word | None, text: str
) -> Sequence[tuple[StemmedWords, float]]:
    """Return the distinct stems of a word and its variants, with weights."""
    stems = dict.fromkeys(plan.stem(text), 1.0)
    for other, weight in word.variants if word else ():
        for stemmed in plan.stem(other):
            stems.setdefault(stemmed, weight)
    return list(stems.items())


def _phrase(schema: tantivy.Schema, field: str, phrase: Phrase) -> Query:
    query = Query.phrase_query(schema, field, list(phrase.stems), slop=phrase.slop)
    return _boost(in_languages(schema, query, phrase.stemmers), phrase.weight)


def _adjacent(field: str, stems: Sequence[str]) -> Query:
    if field == "body":
        # It has no positions: require the words in the body, and the phrase anywhere.
        required = [_term(PAGES, field, text) for text in stems]
        return _match_all([*required, _adjacent("all", stems)])
    if len(stems) < 2:
        return _term(PAGES, field, stems[0])
    return Query.phrase_query(PAGES, field, list(stems))


def _any_stem(
    schema: tantivy.Schema, field: str, stems: Iterable[StemmedWords]
) -> Query:
    return _match_one(_stemmed(schema, field, stemmed) for stemmed in stems)


def _stemmed(schema: tantivy.Schema, field: str, word: StemmedWords) -> Query:
    """Return a query for the stem of a word, in documents of its languages."""
    (stem,) = word.stems
    return in_languages(schema, _term(schema, field, stem), word.stemmers)


def _equals(schema: tantivy.Schema, name: StemmedWords) -> Query:
    """Return a query for a whole title or heading."""
    exact = _term(schema, "exact", " ".join(name.stems))
    return in_languages(schema, exact, name.stemmers)


def _term(schema: tantivy.Schema, field: str, text: str) -> Query:
    option = "basic" if field in ("body", "words", "category", "exact") else "position"
    return Query.term_query(schema, field, text, index_option=option)


def _term_of_category(category: str) -> Query:
    return _term(PAGES, "category", category.casefold().strip("/"))


def _match_any(queries: Iterator[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _match_one(queries: Iterable[Query]) -> Query:
    """Return a query for any of some queries, or the only one."""
    first, *others = queries
    return _match_any(iter((first, *others))) if others else first


def _match_all(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def _invert(*queries: Query) -> Query:
    """Return a query for everything that matches none of these."""
    excluded = [(Occur.MustNot, query) for query in queries]
    return Query.boolean_query([(Occur.Must, Query.all_query()), *excluded])


def _boost(query: Query, weight: float) -> Query:
    return query if weight == 1 else Query.boost_query(query, weight)


def _unscored(query: Query) -> Query:
    """Return a query that filters without adding to the score."""
    return Query.const_score_query(query, 0.0)
