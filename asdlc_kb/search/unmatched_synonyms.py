"""Rules of synonyms that find nothing: `asdlc-kb check --synonyms`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from asdlc_kb.search.analyzer import Stems, tokenize
from asdlc_kb.search.languages import find_stemmer
from asdlc_kb.search.synonyms import SynonymRule, Synonyms
from asdlc_kb.search.values import DocumentSource, SearchDocument

_Phrases: TypeAlias = dict[str, list[tuple[Sequence[str], int]]]
"""Stems of phrases, and the positions of their rules, by their first stem."""


def find_unmatched(
    synonyms: Synonyms, sources: Iterable[DocumentSource]
) -> tuple[SynonymRule, ...]:
    """Return the rules of which no document has a searched word or phrase.

    Reads all documents.
    """
    unmatched = dict(enumerate(synonyms.rules))
    phrases: dict[str, _Phrases] = {}
    memos: dict[str, Stems] = {}
    for document in _read_all(sources):
        stemmer = find_stemmer(document.language)
        if stemmer not in phrases:
            memos[stemmer] = Stems(stemmer)
            phrases[stemmer] = _stem_phrases(synonyms, memos[stemmer])
        for text in _list_texts(document):
            stems = [memos[stemmer][word] for word in tokenize(text)]
            for number in _match(stems, phrases[stemmer]):
                unmatched.pop(number, None)
        if not unmatched:
            break
    return tuple(unmatched.values())


def _read_all(sources: Iterable[DocumentSource]) -> Iterator[SearchDocument]:
    for source in sources:
        yield from map(source.document, source.digests())


def _list_texts(document: SearchDocument) -> Iterator[str]:
    yield from (document.title, document.description)
    yield from (*document.tags, *document.aliases)
    for section in document.sections:
        yield from (section.heading, section.text)


def _stem_phrases(synonyms: Synonyms, stems: Stems) -> _Phrases:
    phrases: _Phrases = {}
    for number, rule in enumerate(synonyms.rules):
        for phrase in rule.searched:
            if words := [stems[word] for word in tokenize(phrase)]:
                phrases.setdefault(words[0], []).append((words, number))
    return phrases


def _match(stems: Sequence[str], phrases: _Phrases) -> Iterator[int]:
    """Yield the positions of the rules with a phrase among adjacent stems."""
    for at, stem in enumerate(stems):
        for words, number in phrases.get(stem, ()):
            if stems[at : at + len(words)] == words:
                yield number
