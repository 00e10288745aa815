"""Words before any engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.search.analyzer import tokenize
from asdlc_kb.search.tokens import (
    STOP_WORDS,
    find_cjk_words,
    fold,
    is_cjk,
    normalize,
)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("plain words", "plain words"),
        ("\uff57\uff49\uff44\uff45", "wide"),
        ("缓存A", " 缓  存 A"),
        ("ひらがな", " ひ  ら  が  な "),
        ("é", "é"),
    ],
)
def test_a_text_has_one_form(text: str, normal: str) -> None:
    """And characters of scripts without blanks are words of their own."""
    assert normalize(text) == normal


def test_folding_forgets_case_and_accents() -> None:
    """Passages and the index must agree on words."""
    assert fold("CAFÉ Ünïcode") == "cafe unicode"


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    """A match in the folded text is at the same position in the text."""
    assert len(fold(text)) == len(text)


def test_characters_of_scripts_without_blanks_are_known() -> None:
    """Han, kana and Hangul; not Latin or Cyrillic."""
    assert [is_cjk(word) for word in ("缓", "ひ", "한", "a", "ж", "")] == [
        *(True, True, True),
        *(False, False, False),
    ]


def test_stop_words_are_as_the_index_cuts_them() -> None:
    """In lower case, letters only: `don't` is `don` and `t`."""
    assert all(word.isascii() and word.isalpha() for word in STOP_WORDS)
    assert {"the", "don", "t"} <= STOP_WORDS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("数据 缓存", ["数据", "缓存"]),
        ("数据缓存", ["数据缓存"]),
        (
            "コンテンツコレクションの使い方を設定する",
            ["コンテンツコレクション", "設定"],
        ),
        ("データ・ベース", ["データ", "ベース"]),
        ("ｶﾀｶﾅ 缓存 缓存", ["カタカナ", "缓存"]),
        ("환경 변수를 설정", ["환경", "변수를", "설정"]),
        ("日々 x 本", ["日々"]),
        ("cache café", []),
    ],
)
def test_words_of_scripts_without_blanks_end_where_the_script_does(
    text: str, words: list[str]
) -> None:
    """Endings in hiragana and single characters are none."""
    assert find_cjk_words(text) == words
    assert all(tokenize(word) == list(word) for word in words)
