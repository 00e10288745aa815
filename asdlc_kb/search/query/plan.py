"""What a query looks for, decided before any index is asked: words, variants, phrases.

Here the policy is applied; how the engine is asked is `search.query`.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from asdlc_kb.search.analyzer import stem, tokenize
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import POLICY, SearchPolicy
from asdlc_kb.search.query.operators import Parsed
from asdlc_kb.search.query.speller import Speller
from asdlc_kb.search.tokens import STOP_WORDS, is_cjk, normalize

_IDENTIFIER: Final = re.compile(r"(?<![^\W_])[^\W_]++(?:(?:[_./-]|::|->)++[^\W_]++)++")


@dataclass(frozen=True, slots=True)
class Word:
    """A word that is looked for, and what may stand for it."""

    text: str
    weight: float = 1.0
    is_exact: bool = False
    """Quoted: not to be stretched."""
    variants: tuple[tuple[str, float], ...] = ()
    is_mended: bool = False
    """It is nowhere: its variants were meant."""
    parts: tuple[str, str] | None = None
    """The two words that it seems to be."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words side by side, as stems."""

    stems: tuple[str, ...]
    weight: float
    slop: int = 0


@dataclass(slots=True)
class Plan:
    """Everything that adds to a document's score."""

    words: list[Word] = field(default_factory=list)
    phrases: list[Phrase] = field(default_factory=list)
    whole: list[tuple[str, ...]] = field(default_factory=list)
    """The stems of the query in order, to be met in a title or a heading."""
    corrected: list[tuple[str, str]] = field(default_factory=list)
    """Words that are nowhere, and what is looked for instead."""
    joined: list[tuple[str, str]] = field(default_factory=list)
    """Neighbours, and the one word that is looked for besides."""


class Planner:
    """Plans one query for one view."""

    def __init__(self, view: VisibleIndex, policy: SearchPolicy = POLICY) -> None:
        self._view = view
        self._speller = Speller(view, policy)
        self._policy = policy
        self._stretched = 0

    def plan(self, parsed: Parsed) -> Plan:
        """Return what to look for."""
        typed = list(self._read(parsed))[: self._policy.most_words]
        plan = Plan()
        stops = {word.text for word in typed} & STOP_WORDS
        if all(word.text in stops for word in typed):
            stops = set()
        self._join(typed, plan)
        self._add_words(typed, stops, plan)
        forms = _forms(plan.words)
        kept = [word for word in typed if word.text not in stops]
        plan.phrases += self._pair(kept, forms)
        plan.phrases += self._identify(parsed, len(typed))
        plan.whole += _stem_variants(typed, forms)
        return plan

    def _add_words(
        self, typed: Sequence[Word], stops: Collection[str], plan: Plan
    ) -> None:
        """Add each different word with its weight, and what may stand for it."""
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
                stretched = self._stretch(word, weight, plan, is_last=word is last)
                plan.words.append(stretched)

    def _read(self, parsed: Parsed) -> Iterator[Word]:
        """Yield the words of a query as they were typed."""
        most = self._policy.most_prefixed
        for leaf in parsed.leaves:
            if leaf.field == "category":
                continue
            texts = tokenize(leaf.text)
            for text in texts:
                variants: tuple[tuple[str, float], ...] = ()
                if leaf.is_prefix and text == texts[-1]:
                    others = self._speller.complete(text, most)
                    variants = tuple((other, 1.0) for other in others)
                is_exact = leaf.is_phrase or leaf.is_prefix
                yield Word(text, is_exact=is_exact, variants=variants)

    def _stretch(self, word: Word, weight: float, plan: Plan, *, is_last: bool) -> Word:
        """Return a word with what may stand for it."""
        policy = self._policy
        if word.is_exact or is_cjk(word.text):
            return Word(word.text, weight, is_exact=True, variants=word.variants)
        is_long = policy.shortest_stretched <= len(word.text)
        if self._view.has(word.text):
            if not (is_last and is_long):
                return Word(word.text, weight)
            others = self._speller.complete(word.text, policy.last_completions)
            return Word(word.text, weight, variants=_weigh(others, policy.last_weight))
        is_short = not is_long or len(word.text) > policy.longest_stretched
        if is_short or self._stretched >= policy.most_stretched:
            return Word(word.text, weight)
        self._stretched += 1
        found = self._replace(word.text)
        if found:
            plan.corrected += [(word.text, other) for other, _ in found]
            return Word(word.text, weight, variants=tuple(found), is_mended=True)
        parts = self._speller.split(word.text)
        if parts:
            plan.corrected.append((word.text, " ".join(parts)))
        return Word(word.text, weight, parts=parts)

    def _replace(self, word: str) -> list[tuple[str, float]]:
        """Return corrections and completions of a word that is nowhere."""
        policy = self._policy
        found = self._speller.correct(word)
        taken = {other for other, _ in found}
        completed = self._speller.complete(word, policy.completions)
        others = [other for other in completed if other not in taken]
        return found + list(_weigh(others, policy.completion_weight))

    def _pair(
        self, words: Sequence[Word], forms: Mapping[str, Sequence[str]]
    ) -> Iterator[Phrase]:
        """Yield each two neighbours."""
        policy = self._policy
        fading = min(1.0, policy.pairs_full / len(words)) if words else 1.0
        seen = set()
        for one, other in pairwise(words):
            is_close = is_cjk(one.text) and is_cjk(other.text)
            weight = policy.cjk_weight if is_close else policy.pair_weight * fading
            for pair in _stem_variants((one, other), forms):
                is_chance = not is_close and all(map(self._is_common, pair))
                if pair not in seen and not is_chance:
                    seen.add(pair)
                    yield Phrase(pair, weight, 0 if is_close else policy.pair_slop)

    def _is_common(self, stem: str) -> bool:
        """Whether most of many pages have a word."""
        pages, policy = self._view.shelf.pages, self._policy
        least = max(policy.common_pages, policy.common_share * pages.num_docs)
        return pages.doc_freq("all", stem) > least

    def _identify(self, parsed: Parsed, count: int) -> Iterator[Phrase]:
        """Yield the parts of what looks like an identifier or a path."""
        if count > self._policy.identifier_words:
            return
        for leaf in parsed.leaves:
            for match in _IDENTIFIER.finditer(normalize(leaf.text)):
                stems = tuple(stem(part) for part in tokenize(match[0]))
                if len(stems) > 1:
                    yield Phrase(stems, self._policy.identifier_weight)

    def _join(self, typed: Sequence[Word], plan: Plan) -> None:
        """Look for neighbours that are one word to somebody else."""
        policy = self._policy
        for start in range(len(typed) - 1):
            for end in range(start + 2, min(start + policy.join_words, len(typed)) + 1):
                words = typed[start:end]
                joined = "".join(word.text for word in words)
                is_apt = policy.shortest_stretched <= len(joined) and not any(
                    word.is_exact or is_cjk(word.text) for word in words
                )
                if is_apt and self._view.knows(joined):
                    plan.words.append(Word(joined, policy.join_weight, is_exact=True))
                    parts = " ".join(word.text for word in words)
                    plan.joined.append((parts, joined))


def _forms(words: Sequence[Word]) -> dict[str, tuple[str, ...]]:
    """Return the words that were meant, as stems, where those typed are nowhere."""
    return {
        word.text: tuple(dict.fromkeys(stem(other) for other, _ in word.variants[:2]))
        for word in words
        if word.is_mended
    }


def _stem_variants(
    words: Sequence[Word], forms: Mapping[str, Sequence[str]]
) -> list[tuple[str, ...]]:
    """Return a phrase as stems, as it was meant first and second likeliest."""
    found: list[tuple[str, ...]] = []
    for choice in (0, -1):
        stems = tuple(forms.get(w.text, (stem(w.text),))[choice] for w in words)
        if stems not in found:
            found.append(stems)
    return found


def _weigh(words: Sequence[str], weight: float) -> tuple[tuple[str, float], ...]:
    return tuple((word, weight) for word in words)
