"""Titles and headings that are named in a query."""

from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet

from asdlc_kb.search.analyzer import StemmedWords, stem_words, tokenize
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QueryPolicy


class TitleFinder:
    """Looks up words among whole titles and headings, by their stems."""

    def __init__(
        self, view: VisibleIndex, stemmers: Sequence[str], policy: QueryPolicy
    ) -> None:
        """Look up in an index, in the languages of some stemmers."""
        snapshot = view.snapshot
        self._frequencies = snapshot.pages.doc_freq, snapshot.sections.doc_freq
        self._stemmers = stemmers
        self._policy = policy

    def find_names(
        self, words: Sequence[str], stops: Collection[str], unknown: AbstractSet[str]
    ) -> Iterator[StemmedWords]:
        """Yield adjacent words, not all of them stop words, that are a whole title."""
        policy = self._policy
        if not 1 < len(words) <= policy.max_named_words or unknown >= set(words):
            return
        for start in range(len(words)):
            for end in range(start, min(start + policy.named_words, len(words))):
                texts = words[start : end + 1]
                if texts[-1] in unknown:
                    break
                if len(texts) < len(words) and not all(text in stops for text in texts):
                    yield from self.find(texts)

    def find_code_names(
        self, names: Sequence[str], count: int
    ) -> Iterator[StemmedWords]:
        """Yield the names, in a query of `count` words, that are a whole title.

        One that is the whole query is matched as such.
        """
        for words in map(tokenize, names):
            if len(words) < count:
                yield from self.find(words)

    def find(self, words: Sequence[str]) -> Iterator[StemmedWords]:
        """Yield the stems of words that are a whole title or heading."""
        for stemmed in stem_words(words, self._stemmers):
            title = " ".join(stemmed.stems)
            if any(count("exact", title) for count in self._frequencies):
                yield stemmed
