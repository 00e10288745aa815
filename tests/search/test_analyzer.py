"""Words and stems of the index."""

import tantivy
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.analyzer import (
    BLANKS,
    MAX_WORD_BYTES,
    Stems,
    make_stem,
    tokenize,
    tokenize_long,
)
from asdlc_kb.search.languages import ENGLISH
from asdlc_kb.search.tokens import normalize

ENGINE = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    .filter(tantivy.Filter.remove_long(MAX_WORD_BYTES + 1))
    .filter(tantivy.Filter.lowercase())
    .filter(tantivy.Filter.ascii_fold())
    .build()
)

stem = make_stem(ENGLISH)


def test_words_are_letters_and_digits_in_lower_case_without_accents() -> None:
    """Nothing overlong is one."""
    assert tokenize("Don't use_it, Café-2! " + "x" * 61) == [
        *("don", "t", "use", "it", "cafe", "2"),
    ]


@given(st.text(st.characters(codec="ascii") | st.sampled_from("aZ9 _-é缓½\u0300")))
def test_words_are_those_of_the_engine(text: str) -> None:
    """Simple texts are split without it, which is faster."""
    assert tokenize(text) == ENGINE.analyze(normalize(text))


def test_words_up_to_the_longest_are_words_to_the_engine_too() -> None:
    """One byte more is too long for both."""
    longest = "x" * MAX_WORD_BYTES
    assert tokenize(longest) == BLANKS.analyze(longest) == [longest]
    assert tokenize(longest + "x") == BLANKS.analyze(longest + "x") == []
    assert tokenize_long(longest + "x")


def test_words_are_stemmed_as_the_index_does() -> None:
    """A word without a stem is its own."""
    assert (stem("configured"), stem("configuration"), stem("缓")) == (
        "configur",
        "configur",
        "缓",
    )
    assert stem("_") == "_"


def test_stems_are_those_of_queries_whether_met_before_or_not() -> None:
    """Documents and queries have to agree."""
    stems = Stems()
    words = tokenize("Configured retries of 缓 caches; configured " + "ies" * 30)
    assert [stems.join(words) for _ in "ab"] == [" ".join(map(stem, words))] * 2
