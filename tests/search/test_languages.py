"""Stemmers by language tag, and endings without their accents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from asdlc_kb.search.analyzer import make_stem, tokenize
from asdlc_kb.search.languages import ENGLISH, STEMMERS, find_stemmer, restore_ending

LETTERS = "abcdeilmnorstuyzàâäåãçèéêëíñóöőøùüšğłăąß\u0130\u0131"
"""Letters of the Latin alphabets with stemmers."""


@pytest.mark.parametrize(
    ("tag", "stemmer"),
    [
        ("fr", "french"),
        ("pt-BR", "portuguese"),
        ("DE_at", "german"),
        ("zh-Hans", ENGLISH),
        ("frr", ENGLISH),
        ("x", ENGLISH),
        ("", ENGLISH),
        ("-", ENGLISH),
    ],
)
def test_a_language_has_a_stemmer_or_that_of_english(tag: str, stemmer: str) -> None:
    """By its primary subtag, in any case."""
    assert find_stemmer(tag) == stemmer


def test_every_stemmer_is_one_of_the_engine() -> None:
    """Another name would fail with the first document of that language."""
    for name in STEMMERS.values():
        builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.stemmer(name))
        assert builder.build().analyze("x") == ["x"]


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("fr", "requête requetes REQUÊTES requête"),
        ("fr", "donnée donnees données"),
        ("fr", "créer creer créée creee"),
        ("de", "Einrichtung einrichten Einrichtungen"),
        ("de", "Größe grosse GROSSEN größen"),
        ("es", "nacional nacionales"),
        ("es", "configuración configuracion configuraciones"),
        ("es", "podría podrias podríamos"),
        ("pt", "configuração configuracao configurações configuracoes"),
        ("pt", "dependência dependencias"),
        ("ru", "страница страницы страниц СТРАНИЦАМИ"),
        ("tr", "ayarlar ayarlar\u0131 ayarlari AYARLARI"),
        ("sv", "inställning installningar"),
        ("el", "ρυθμίσεις ρυθμισεις"),
        ("en", "configured configuration cónfigure"),
    ],
)
def test_forms_of_a_word_have_one_stem_with_and_without_accents(
    tag: str, words: str
) -> None:
    """In every case of letters."""
    assert len(set(map(make_stem(find_stemmer(tag)), tokenize(words)))) == 1


@pytest.mark.parametrize("stemmer", sorted({*STEMMERS.values()}))
@given(word=st.text(LETTERS, min_size=1, max_size=12))
def test_a_word_and_the_same_without_accents_have_one_stem(
    stemmer: str, word: str
) -> None:
    """In every language: a reader types either."""
    (plain,) = tokenize(word)
    stem = make_stem(stemmer)
    assert stem(word.replace("\u0130", "I")) == stem(plain)
    assert stem(plain)


@given(st.text(LETTERS, max_size=12), st.sampled_from(sorted({*STEMMERS.values()})))
def test_restored_accents_change_only_the_ending(word: str, stemmer: str) -> None:
    """Never the number of words, nor the first letters."""
    (plain, *_) = tokenize(word) or [""]
    restored = restore_ending(plain, stemmer)
    assert len(restored) == len(plain)
    assert tokenize(restored) == ([plain] if plain else [])
    assert restored[:1] == plain[:1]
