"""Query planner: applies the search policy to words, variants and phrases.

The plan is independent of the engine; `engine_query` turns it into queries.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from asdlc_kb.search.analyzer import StemmedWords, stem_words, tokenize
from asdlc_kb.search.languages import ENGLISH
from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy
from asdlc_kb.search.query.found_synonyms import find_synonyms
from asdlc_kb.search.query.identifiers import (
    find_code_names,
    find_identifiers,
    find_parts,
)
from asdlc_kb.search.query.named_titles import TitleFinder
from asdlc_kb.search.query.operators import Parsed
from asdlc_kb.search.query.speller import Speller, has_digit
from asdlc_kb.search.stop_words import MIN_WORDS, find_query_language, list_stop_words
from asdlc_kb.search.tokens import find_cjk_words, is_cjk


@dataclass(frozen=True, slots=True)
class Word:
    """A searched word, and its weighted variants."""

    text: str
    weight: float = 1.0
    is_exact: bool = False
    """Quoted: not expanded."""
    is_part: bool = False
    """Part of an identifier or path: not corrected."""
    variants: tuple[tuple[str, float], ...] = ()
    is_corrected: bool = False
    """The word is unknown: its variants replace it."""
    parts: tuple[str, str] | None = None
    """The two words into which it was split."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Adjacent words, as stems."""

    stems: tuple[str, ...]
    weight: float
    slop: int = 0
    stemmers: tuple[str, ...] = ()
    """Those of the documents in which it is searched; empty for all."""


@dataclass(slots=True)
class Plan:
    """All contributions to a document's score."""

    stemmers: tuple[str, ...] = (ENGLISH,)
    """The stemmers of words to search for."""
    stop_words: Collection[str] = frozenset()
    """Those of the language of the query."""
    words: list[Word] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    whole: list[StemmedWords] = field(default_factory=list)
    """The stems of the query in order, matched against titles and headings."""
    code_names: tuple[str, ...] = ()
    """Names that are written as code, as typed."""
    named: dict[StemmedWords, float] = field(default_factory=dict)
    """The stems of adjacent words that are a whole title or heading, with weights."""
    cjk_words: tuple[StemmedWords, ...] = ()
    """Words of scripts without blanks, matched together against titles and headings."""
    corrected: list[tuple[str, str]] = field(default_factory=list)
    """Unknown words, each with its replacement."""
    joined: list[tuple[str, str]] = field(default_factory=list)
    """Adjacent words, each with the joined word searched in addition."""
    unknown: tuple[str, ...] = ()
    """Words that no document has, not even their stems in any language."""
    synonyms: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Phrases of the query, each with the words of a synonym."""

    def stem(self, word: str) -> list[StemmedWords]:
        """Return the distinct stems of a word in all languages to search."""
        return stem_words((word,), self.stemmers)


class Planner:
    """Plans one query for the visible index of a speller."""

    def __init__(
        self,
        speller: Speller,
        policy: QueryPolicy = QUERY_POLICY,
        *,
        is_typing: bool = False,
    ) -> None:
        """Plan for a speller; if the query is being typed, complete its last word."""
        self._view = speller.view
        self._speller = speller
        self._policy = policy
        self._is_typing = is_typing
        self._stemmers = speller.view.stemmers
        self._language: str | None = None
        """The stemmer of the query's language; None if no document is in it."""
        self._expanded_count = 0
        self._unknown: set[str] = set()
        """Words that no visible document has."""
        self._synonyms: dict[str, list[str]] = {}
        """Words that have synonyms, with those that are one word."""

    def plan(self, parsed: Parsed) -> Plan:
        """Return the plan of a query."""
        typed = list(self._read_words(parsed))[: self._policy.max_words]
        plan = Plan(self._stemmers)
        texts = {word.text for word in typed}
        language = find_query_language(texts, plan.stemmers)
        plan.stop_words = list_stop_words(language)
        names = chain.from_iterable(find_code_names(one.text) for one in parsed.leaves)
        plan.code_names = tuple(dict.fromkeys(names))
        of_code = chain.from_iterable(map(tokenize, plan.code_names))
        stops = texts.intersection(plan.stop_words).difference(of_code)
        if language in plan.stemmers:
            self._language = language
            is_long = len(typed) > self._policy.max_mixed_words
            if is_long and (len(stops) >= MIN_WORDS or _is_mostly_cjk(texts)):
                # The language is certain, or has no stems.
                plan.stemmers = self._stemmers = (language,)
        if all(word.text in stops for word in typed):
            stops = set()
        titles = TitleFinder(self._view, self._stemmers, self._policy)
        self._add_joined(typed, titles, plan)
        self._add_synonyms(typed, stops, plan)
        self._add_words(typed, stops, plan)
        corrections = _choose_corrections(plan.words)
        kept = [word for word in typed if word.text not in stops]
        plan.phrases += self._make_pairs(kept, corrections)
        plan.phrases += self._find_identifiers(parsed, len(typed))
        self._add_cjk_words(parsed, plan)
        plan.whole += self._stem_variants(typed, corrections)
        plan.whole = list(dict.fromkeys(plan.whole))
        words = [word.text for word in typed]
        named = titles.find_names(words, stops, self._unknown)
        plan.named |= dict.fromkeys(named, self._policy.named_weight)
        named = titles.find_code_names(plan.code_names, len(words))
        plan.named |= dict.fromkeys(named, self._policy.named_code_weight)
        plan.unknown = tuple(
            word
            for word in dict.fromkeys(words)
            if word in self._unknown
            and word not in plan.stop_words
            and len(word) > 1
            and not self._view.has_word(word)
        )
        return plan

    def _add_words(
        self, typed: Sequence[Word], stops: Collection[str], plan: Plan
    ) -> None:
        """Add each distinct word with its weight and variants."""
        policy = self._policy
        counts = Counter(word.text for word in typed)
        joined = {part for parts, _ in plan.joined for part in parts.split()}
        last = typed[-1] if 0 < len(typed) <= policy.last_words else None
        for word in {word.text: word for word in typed}.values():
            weight = counts[word.text] ** policy.repeat_power
            if word.text in stops:
                if len(typed) > policy.soft_words:
                    continue
                weight *= policy.soft_weight
            if word.text in joined:
                plan.words.append(Word(word.text, weight))
            else:
                expanded = self._expand(word, weight, plan, is_last=word is last)
                plan.words.append(expanded)

    def _read_words(self, parsed: Parsed) -> Iterator[Word]:
        """Yield the words of a query as typed."""
        limit = self._policy.max_prefix_words
        for leaf in parsed.leaves:
            if leaf.field == "category":
                continue
            texts = tokenize(leaf.text)
            parts = find_parts(leaf.text)
            for text in texts:
                variants: tuple[tuple[str, float], ...] = ()
                if leaf.is_prefix and text == texts[-1]:
                    others = self._speller.complete(text, limit)
                    variants = tuple((other, 1.0) for other in others)
                is_exact = leaf.is_phrase or leaf.is_prefix
                is_part = text in parts
                yield Word(text, is_exact=is_exact, is_part=is_part, variants=variants)

    def _expand(self, word: Word, weight: float, plan: Plan, *, is_last: bool) -> Word:
        """Return a word with its variants."""
        policy = self._policy
        if word.is_exact or is_cjk(word.text):
            return Word(word.text, weight, is_exact=True, variants=word.variants)
        if word.text in self._synonyms:
            return self._add_variants(word.text, weight, plan)
        if self._view.has_word(word.text, self._language):
            variants = self._complete_known(word.text) if is_last else ()
            return Word(word.text, weight, variants=variants)
        self._unknown.add(word.text)
        least = policy.min_last_letters if is_last else policy.min_corrected_letters
        is_expanded = least <= len(word.text) <= policy.max_corrected_letters
        if not is_expanded or self._expanded_count >= policy.max_corrected_words:
            return Word(word.text, weight)
        self._expanded_count += 1
        return self._replace(word, weight, plan)

    def _add_synonyms(
        self, typed: Sequence[Word], stops: Collection[str], plan: Plan
    ) -> None:
        """Add the synonyms of phrases; those of a word that are one as its variants."""
        texts = [word.text for word in typed]
        expanded = [None if word.is_exact else word.text for word in typed]
        for found in find_synonyms(expanded, self._view, self._policy):
            words = texts[found.begin : found.end]
            synonyms = [one for one in found.synonyms if not set(texts).issuperset(one)]
            if not synonyms or all(word in stops for word in words):
                continue
            if len(words) == 1:
                variants = [one[0] for one in synonyms if len(one) == 1]
                self._synonyms[words[0]] = variants
            for synonym in synonyms:
                self._add_synonym(words, synonym, plan)
                if len(plan.whole) < self._policy.max_synonyms:
                    other = (*texts[: found.begin], *synonym, *texts[found.end :])
                    plan.whole += stem_words(other, self._stemmers)

    def _add_synonym(
        self, words: Sequence[str], synonym: tuple[str, ...], plan: Plan
    ) -> None:
        plan.synonyms.append((" ".join(words), synonym))
        weight = self._policy.synonym_weight
        if len(synonym) > 1:
            # As much as one word: those of a phrase add up.
            plan.phrases += (
                Phrase(stems, weight / len(synonym), stemmers=stemmers)
                for stems, stemmers in stem_words(synonym, self._stemmers)
            )
        elif len(words) > 1:
            plan.words.append(Word(synonym[0], weight, is_exact=True))

    def _add_variants(self, word: str, weight: float, plan: Plan) -> Word:
        """Return a word with its synonyms, which replace it if it is unknown."""
        is_unknown = not self._view.has_word(word, self._language)
        if is_unknown:
            known = (" ".join(words) for typed, words in plan.synonyms if typed == word)
            plan.corrected += [(word, other) for other in known]
        variants = _weigh(self._synonyms[word], self._policy.synonym_weight)
        is_corrected = is_unknown and bool(variants)
        return Word(word, weight, variants=variants, is_corrected=is_corrected)

    def _complete_known(self, word: str) -> tuple[tuple[str, float], ...]:
        """Return completions of the last word, which a document has."""
        policy = self._policy
        is_typing = self._is_typing and len(word) >= policy.min_last_letters
        if not is_typing and len(word) < policy.min_corrected_letters:
            return ()
        others = self._speller.complete(word, policy.last_completions)
        return _weigh(others, policy.last_weight)

    def _replace(self, word: Word, weight: float, plan: Plan) -> Word:
        """Return an unknown word with what was probably meant.

        That is a longer word, else a similar one, else two words, else a similar one
        with another first letter. Names and numbers are only completed.
        """
        policy, speller, text = self._policy, self._speller, word.text
        completed = speller.complete(text, policy.completions)
        others = _weigh(completed, policy.completion_weight)
        parts = None
        is_name = word.is_part or has_digit(text)
        is_corrected = not is_name and len(text) >= policy.min_corrected_letters
        if not others and is_corrected and text not in plan.stop_words:
            others = tuple(speller.correct(text))
            parts = None if others else speller.split(text)
            if not others and not parts:
                others = tuple(speller.correct_start(text))
        plan.corrected += [(text, other) for other, _ in others]
        if parts:
            plan.corrected.append((text, " ".join(parts)))
        return Word(
            text, weight, variants=others, is_corrected=bool(others), parts=parts
        )

    def _make_pairs(
        self, words: Sequence[Word], corrections: Mapping[str, Sequence[str]]
    ) -> Iterator[Phrase]:
        """Yield a phrase for each two adjacent words."""
        policy = self._policy
        fading = min(1.0, policy.pairs_full / len(words)) if words else 1.0
        seen = set()
        for first, second in pairwise(words):
            is_cjk_pair = is_cjk(first.text) and is_cjk(second.text)
            weight = policy.cjk_weight if is_cjk_pair else policy.pair_weight * fading
            slop = 0 if is_cjk_pair else policy.pair_slop
            for pair in self._stem_variants((first, second), corrections):
                is_chance = not is_cjk_pair and all(map(self._is_common, pair.stems))
                if pair not in seen and not is_chance:
                    seen.add(pair)
                    yield Phrase(pair.stems, weight, slop, pair.stemmers)

    def _add_cjk_words(self, parsed: Parsed, plan: Plan) -> None:
        """Add the words of scripts without blanks, of which only pairs are known."""
        policy = self._policy
        if all(leaf.text.isascii() for leaf in parsed.leaves):
            return
        texts = (find_cjk_words(leaf.text) for leaf in parsed.leaves)
        words = [tuple(word) for word in chain.from_iterable(texts)]
        if len(words) > policy.max_cjk_words:
            return
        plan.phrases += (
            Phrase(word, policy.cjk_word_weight) for word in words if len(word) > 2
        )
        plan.cjk_words = tuple(map(StemmedWords, words))

    def _stem_variants(
        self, words: Sequence[Word], corrections: Mapping[str, Sequence[str]]
    ) -> list[StemmedWords]:
        """Return a phrase as stems, with the likeliest and the second correction."""
        variants: dict[StemmedWords, None] = {}
        for choice in (0, -1):
            texts = [corrections.get(w.text, (w.text,))[choice] for w in words]
            variants |= dict.fromkeys(stem_words(texts, self._stemmers))
        return list(variants)

    def _is_common(self, stem: str) -> bool:
        """Whether a word is too common to be scored as part of a pair."""
        pages, policy = self._view.snapshot.pages, self._policy
        threshold = max(policy.common_pages, policy.common_share * pages.num_docs)
        return pages.doc_freq("all", stem) > threshold

    def _find_identifiers(self, parsed: Parsed, count: int) -> Iterator[Phrase]:
        """Yield the parts of identifiers and paths as phrases."""
        if count > self._policy.identifier_words:
            return
        for leaf in parsed.leaves:
            for name in find_identifiers(leaf.text):
                weight, parts = self._policy.identifier_weight, tokenize(name)
                if len(parts) > 1:
                    for stems, stemmers in stem_words(parts, self._stemmers):
                        yield Phrase(stems, weight, stemmers=stemmers)

    def _add_joined(
        self, typed: Sequence[Word], titles: TitleFinder, plan: Plan
    ) -> None:
        """Add joined words for adjacent words that a document spells as one."""
        policy = self._policy
        for start in range(len(typed) - 1):
            for end in range(start + 2, min(start + policy.join_words, len(typed)) + 1):
                words = typed[start:end]
                joined = "".join(word.text for word in words)
                is_joinable = policy.min_corrected_letters <= len(joined) and not any(
                    word.is_exact or is_cjk(word.text) for word in words
                )
                if not is_joinable or not self._view.has_term(joined):
                    continue
                # `in vite` is no invitation; `time out` and `log in` are one word.
                is_chance = any(word.text in plan.stop_words for word in words[:-1])
                if not is_chance or any(titles.find([joined])):
                    plan.words.append(Word(joined, policy.join_weight, is_exact=True))
                    parts = " ".join(word.text for word in words)
                    plan.joined.append((parts, joined))
                    if len(words) == len(typed):
                        # `reading time` names `ReadingTime`.
                        plan.whole += plan.stem(joined)


def _is_mostly_cjk(words: Collection[str]) -> bool:
    return sum(map(is_cjk, words)) > len(words) / 2


def _choose_corrections(words: Sequence[Word]) -> dict[str, tuple[str, ...]]:
    """Return the two likeliest corrections of each unknown word."""
    return {
        word.text: tuple(other for other, _ in word.variants[:2])
        for word in words
        if word.is_corrected
    }


def _weigh(words: Sequence[str], weight: float) -> tuple[tuple[str, float], ...]:
    return tuple((word, weight) for word in words)
