"""Words and stems, as the index has them."""

import tantivy
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.terms import BLANKS, LONGEST_WORD, Stems, cut, cut_long, stem
from asdlc_kb.search.words import normalise

ENGINE = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    .filter(tantivy.Filter.remove_long(LONGEST_WORD + 1))
    .filter(tantivy.Filter.lowercase())
    .filter(tantivy.Filter.ascii_fold())
    .build()
)


def test_words_are_letters_and_digits_in_lower_case_without_accents() -> None:
    """Nothing overlong is one."""
    assert cut("Don't use_it, Café-2! " + "x" * 61) == [
        *("don", "t", "use", "it", "cafe", "2"),
    ]


@given(st.text(st.characters(codec="ascii") | st.sampled_from("aZ9 _-é缓½\u0300")))
def test_words_are_those_of_the_engine(text: str) -> None:
    """Plain texts are cut without it, which is quicker."""
    assert cut(text) == ENGINE.analyze(normalise(text))


def test_words_up_to_the_longest_are_words_to_the_engine_too() -> None:
    """One byte more is none to either."""
    longest = "x" * LONGEST_WORD
    assert cut(longest) == BLANKS.analyze(longest) == [longest]
    assert cut(longest + "x") == BLANKS.analyze(longest + "x") == []
    assert cut_long(longest + "x")


def test_words_are_stemmed_as_the_index_does() -> None:
    """What has no stem is its own."""
    assert (stem("configured"), stem("configuration"), stem("缓")) == (
        "configur",
        "configur",
        "缓",
    )
    assert stem("_") == "_"


def test_stems_are_those_of_queries_whether_met_before_or_not() -> None:
    """Documents and queries have to agree."""
    stems = Stems()
    words = cut("Configured retries of 缓 caches; configured " + "ies" * 30)
    assert [stems.join(words) for _ in "ab"] == [" ".join(map(stem, words))] * 2
