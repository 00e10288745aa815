"""Invisible characters: what is removed, what has to stay (hostile: hidden Unicode)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.files.text import strip_invisible

CONTROLS = {chr(n) for n in (*range(0x20), *range(0x7F, 0xA0))} - {"\n", "\t"}
TAGS = {chr(n) for n in range(0xE0000, 0xE0080)}
BIDI = {chr(n) for n in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F))} | {
    chr(n) for n in range(0x2066, 0x206A)
}
ZERO_WIDTH = {chr(n) for n in (0x200B, 0x200C, 0x200D, *range(0x2060, 0x2065), 0xFEFF)}
LISTED = CONTROLS | TAGS | BIDI | ZERO_WIDTH
"""The policy on hidden Unicode: all of these, and no other."""

NEEDED_BY_SCRIPTS = set("\u200c\u200d\u200e\u200f\u061c")

mixed = st.text(
    alphabet=st.one_of(
        st.sampled_from(sorted(LISTED)),
        st.sampled_from("aZ 9\n\t\u0633\u05d0\u0915\u094d\U0001f468\u2764\ufe0f\u00e9"),
        st.characters(),
    ),
    max_size=30,
)
latin = st.text(
    alphabet=st.one_of(st.sampled_from(sorted(LISTED)), st.sampled_from("abc é\n\tß-'"))
)


def without(text: str, characters: set[str]) -> str:
    """Return text without any of the characters."""
    return "".join(c for c in text if c not in characters)


@given(mixed)
def test_stripping_twice_is_stripping_once(text: str) -> None:
    """What was cleaned once is clean: two marks do not keep each other."""
    once, _ = strip_invisible(text)
    assert strip_invisible(once) == (once, 0)


@given(mixed)
def test_only_listed_characters_go_and_their_number_is_told(text: str) -> None:
    """The policy touches no other code point and says how many it removed."""
    shown, removed = strip_invisible(text)
    assert without(shown, LISTED) == without(text, LISTED)
    assert len(text) - len(shown) == removed


@given(mixed)
def test_what_no_script_needs_never_stays(text: str) -> None:
    """Only joiners and direction marks may stay, whatever surrounds the others."""
    shown, _ = strip_invisible(text)
    assert not set(shown) & (LISTED - NEEDED_BY_SCRIPTS)


@given(latin)
def test_latin_text_keeps_none_of_them(text: str) -> None:
    """Without a script or emoji that needs them all listed characters go."""
    assert strip_invisible(text)[0] == without(text, LISTED)


@pytest.mark.parametrize("character", sorted(LISTED), ids=lambda c: f"{ord(c):04X}")
def test_each_listed_character_is_removed_from_a_word(character: str) -> None:
    """Every code point of the policy's list, one by one."""
    assert strip_invisible(f"he{character}llo") == ("hello", 1)


@pytest.mark.parametrize(
    "character",
    ["\n", "\t", " ", "\u00a0", "\u00ad", "\u2028", "\ue000", "\ufffd", "\u200a"],
    ids=lambda c: f"{ord(c):04X}",
)
def test_neighbours_of_the_list_stay(character: str) -> None:
    """Newline, tab, other spaces and private use are not on the list."""
    text = f"he{character}llo"
    assert strip_invisible(text) == (text, 0)


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\u0930\u094d\u200c\u092f",
        "\u05d0\u05d1\u200f!",
        "\u0627\u0644\u0639\u0631\u0628\u064a\u0629\u061c.",
    ],
    ids=["family", "skin", "heart", "flag", "persian", "zwj", "zwnj", "rlm", "alm"],
)
def test_emoji_and_scripts_that_need_joiners_survive(text: str) -> None:
    """Emoji sequences, Persian, Hindi, Hebrew and Arabic stay byte for byte."""
    assert strip_invisible(text) == (text, 0)


def test_marks_that_touch_only_marks_are_removed() -> None:
    """A right-to-left mark is no right-to-left letter: it cannot vouch for another."""
    assert unicodedata.bidirectional("\u200f") == "R"
    assert strip_invisible("ab\u200f\u200f\u200dcd") == ("abcd", 3)


def test_a_flag_spelled_in_tags_is_cut_to_its_black_flag() -> None:
    """Tag characters go even after an emoji: they spell ASCII that nobody sees."""
    tags = "".join(chr(0xE0000 + ord(c)) for c in "gbeng")
    shown = strip_invisible(f"\U0001f3f4{tags}\U000e007f")
    assert shown == ("\U0001f3f4", 6)
