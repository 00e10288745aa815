"""Stop words by language, and the language of a query."""

import pytest

from asdlc_kb.search.analyzer import tokenize
from asdlc_kb.search.languages import ENGLISH, STEMMERS
from asdlc_kb.search.stop_words import (
    WITH_STOP_WORDS,
    find_query_language,
    list_stop_words,
)
from asdlc_kb.search.tokens import STOP_WORDS


def test_languages_with_stop_words_have_a_stemmer() -> None:
    """A page's stemmer is how its language is known."""
    assert WITH_STOP_WORDS <= {*STEMMERS.values()}
    assert list_stop_words(ENGLISH) is STOP_WORDS
    assert list_stop_words("tamil") == frozenset()


@pytest.mark.parametrize("stemmer", sorted(WITH_STOP_WORDS - {ENGLISH}))
def test_stop_words_are_as_the_index_has_them(stemmer: str) -> None:
    """Without accents, each once: others would never be met."""
    words = list_stop_words(stemmer)
    assert 40 <= len(words) <= 90
    assert [word for word in words if tokenize(word) != [word]] == []


@pytest.mark.parametrize(
    ("stemmers", "query", "expected"),
    [
        (("english",), "comment vider le cache", ""),
        (("english",), "how do I clear the cache", "how do i the"),
        (("french",), "comment vider le cache", "comment le"),
        (("french",), "le cache", "le"),
        (("french",), "how do I clear the cache", "how do i the"),
        (("german",), "man pages", "man"),
        (("english", "german"), "man pages", ""),
        (("english", "german"), "man pages of the system", "of the"),
        (("english", "german"), "wie kann man die datei lesen", "wie kann man die"),
        (("english", "french"), "la configuration", ""),
        (("english", "french"), "the configuration", "the"),
        (("english", "french"), "l'option de la configuration", "l de la"),
        (("english", "french", "german"), "was ist die option", "was ist die"),
        (("english", "german"), "cache leeren", ""),
        (("tamil",), "the cache", "the"),
    ],
)
def test_a_query_has_the_stop_words_of_its_language(
    stemmers: tuple[str, ...], query: str, expected: str
) -> None:
    """The one with most of them; in mixed trees another than English with two."""
    words = tokenize(query)
    chosen = list_stop_words(find_query_language(words, stemmers))
    assert [word for word in words if word in chosen] == expected.split()
