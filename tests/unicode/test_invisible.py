"""Invisible characters: removal, exceptions, and cost."""

import math
import time
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.unicode import table
from asdlc_kb.unicode.invisible import expand_set, strip_invisible

CONTROLS = {chr(n) for n in (*range(0x20), *range(0x7F, 0xA0))} - {"\n", "\t"}
SELECTORS = expand_set(*table.VARIATIONS, "E0100-E01EF")
CONTEXTUAL = {chr(n) for n in SELECTORS | expand_set("180E 200C-200F 13430-1343F")}
"""Characters that stay next to certain characters only."""
LISTED = CONTROLS | {
    chr(n) for n in expand_set(table.IGNORABLE, table.FORMATS, table.NONCHARACTERS)
}
"""The characters of the policy: all of these, and no other."""

VISIBLE = {
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "skin": "\U0001f469\U0001f3fd\u200d\U0001f4bb",
    "heart": "\u2764\ufe0f\u200d\U0001f525",
    "rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "pirate flag": "\U0001f3f4\u200d\u2620\ufe0f",
    "flag of letters": "\U0001f1e9\U0001f1ea",
    "keycap": "1\ufe0f\u20e3",
    "text style": "\u2764\ufe0e",
    "persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "persian with latin": "API\u200c\u0647\u0627",
    "persian with digits": "\u06f1\u06f0\u200c\u0647\u0627",
    "arabic": "\u0627\u0644\u0639\u064e\u0631\u064e\u0628\u0650\u064a\u0651\u0629",
    "arabic number sign": "\u0600\u0661\u0662 \u06dd\u0663",
    "hindi half form": "\u0915\u094d\u200d\u0937",
    "hindi virama": "\u0915\u094d\u200c\u0937",
    "marathi": "\u0930\u094d\u200d\u092f",
    "bengali": "\u09b0\u200d\u09cd\u09af",
    "sinhala": "\u0dc1\u0dca\u200d\u0dbb\u0dd3",
    "hebrew with marks": "\u05d1\u05bc\u05b0\u05e8\u05b5\u05d0\u05e9\u05c1\u05b4",
    "hebrew with mark of direction": "\u05d0\u05d1\u200f! a\u200e\u05d1",
    "ideographic variant": "\u8fbb\U000e0100\u5ddd",
    "compatibility ideograph": "\u4e0d\ufe00",
    "mathematical variant": "\u2229\ufe00",
    "mongolian": "\u1828\u180b\u1820",
    "mongolian vowel separator": "\u182a\u1820\u182d\u180e\u1820",
    "myanmar": "\u1000\ufe00\u1001",
    "egyptian": "\U00013000\U00013430\U00013001",
    "vietnamese": "Vie\u0323\u0302t",
}

mixed = st.text(
    alphabet=st.one_of(
        st.sampled_from(sorted(LISTED)),
        st.sampled_from(sorted(CONTEXTUAL)),
        st.sampled_from(
            "aZ 19!\n\t\u0633\u05d0\u0915\u094d\U0001f468\u2764\ufe0f\u00e9\u6f22"
            "\u1820\u180b\u180e\U00013000\U00013430\u200c\u200d\u200e\u200f"
        ),
        st.characters(),
    ),
    max_size=30,
)
latin = st.text(
    alphabet=st.one_of(
        st.sampled_from(sorted(LISTED)), st.sampled_from("abc \u00e9\n\t\u00df-'")
    )
)


def without(text: str, characters: set[str]) -> str:
    """Return text without any of the characters."""
    return "".join(c for c in text if c not in characters)


@given(mixed)
def test_stripping_twice_is_stripping_once(text: str) -> None:
    """Cleaned text is clean: two marks do not keep each other."""
    once = strip_invisible(text)
    assert strip_invisible(once) == once


@given(mixed, mixed)
def test_clean_texts_in_a_row_are_clean(one: str, other: str) -> None:
    """So parts may be cleaned alone: headings, cells, values."""
    joined = strip_invisible(one) + strip_invisible(other)
    assert strip_invisible(joined) == joined


@given(mixed)
def test_only_listed_characters_go(text: str) -> None:
    """The policy touches no other code point, and keeps no forbidden one."""
    shown = strip_invisible(text)
    assert without(shown, LISTED) == without(text, LISTED)
    assert not set(shown) & (LISTED - CONTEXTUAL)


@given(mixed)
def test_two_at_most_follow_a_visible_character(text: str) -> None:
    """The bound of the docs: a selector, then one other character, never alone."""
    run = 0
    for character in f"\n{strip_invisible(text)}":
        hidden = character in LISTED
        run = run + 1 if hidden else 0
        assert run <= (1 if ord(character) in SELECTORS else 2)


@given(latin)
def test_latin_text_keeps_none_of_them(text: str) -> None:
    """Without a script or emoji that needs them all listed characters go."""
    assert strip_invisible(text) == without(text, LISTED)


@pytest.mark.parametrize("kind", ["IGNORABLE", "FORMATS", "NONCHARACTERS"])
def test_each_character_of_the_table_is_removed_from_a_word(kind: str) -> None:
    """Every code point, one by one, unassigned ones and tags included."""
    for point in expand_set(getattr(table, kind)):
        assert strip_invisible(f"he{chr(point)}llo") == "hello", hex(point)


@pytest.mark.parametrize("character", sorted(CONTROLS), ids=lambda c: f"{ord(c):04X}")
def test_each_control_character_is_removed_from_a_word(character: str) -> None:
    """Also where the text has other characters beyond ASCII."""
    assert strip_invisible(f"he{character}llo") == "hello"
    assert strip_invisible(f"h\u00e9{character}llo") == "h\u00e9llo"


@pytest.mark.parametrize(
    "character",
    [
        *("\n", "\t", " ", "\u00a0", "\u2028", "\ufffd", "\u200a", "\u2800"),
        *("\ue000", "\U000f0041", "\u0378", "\u0600", "\u06dd", "\u070f", "\U000110bd"),
    ],
    ids=lambda c: f"{ord(c):04X}",
)
def test_neighbours_of_the_list_stay(character: str) -> None:
    """Spaces, private use, unassigned characters and visible signs of category Cf."""
    text = f"he{character}llo"
    assert strip_invisible(text) == text


@pytest.mark.parametrize("text", VISIBLE.values(), ids=VISIBLE)
def test_visible_text_survives_unchanged(text: str) -> None:
    """Scripts and emoji that need such characters stay byte for byte."""
    assert strip_invisible(text) == text
    assert strip_invisible(f"a {text} b") == f"a {text} b"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\ufe0f", "a"),
        ("a\ufe00", "a"),
        ("\u2764\ufe0f\ufe0e", "\u2764\ufe0f"),
        ("\u2764\ufe01", "\u2764"),
        ("\u6f22\U000e0100\U000e0101", "\u6f22\U000e0100"),
        ("a\U000e0100", "a"),
        ("\ufe0f\u200c\ufe0f\u200e\ufe0f\u200d", ""),
        ("\u0645\u200c\u200c\u200d\u062e", "\u0645\u200c\u062e"),
        ("\u0645\u00ad\u200c\u200b\u062e", "\u0645\u200c\u062e"),
        ("\u0645\u200c \u062e", "\u0645 \u062e"),
        ("\u0645\u200c\n", "\u0645\n"),
        ("\u0645\u200c", "\u0645"),
        ("\U0001f468\u200da", "\U0001f468a"),
        ("\u05d0\u200f\u200e\u05d1", "\u05d0\u200f\u05d1"),
        ("\u05d0\u200f \u05d1", "\u05d0 \u05d1"),
        ("\u05d0\u061c\u05d1", "\u05d0\u05d1"),
        ("ab\u200f\u200f\u200dcd", "abcd"),
        ("a\u180eb", "ab"),
    ],
    ids=ascii,
)
def test_what_no_neighbour_needs_is_removed(text: str, shown: str) -> None:
    """Wrong bases, second ones, joiners at the edge of a word, marks among blanks."""
    assert strip_invisible(text) == shown


def test_a_flag_spelled_in_tags_is_cut_to_its_black_flag() -> None:
    """D-082: tag characters go even after an emoji: they spell invisible ASCII."""
    tags = "".join(chr(0xE0000 + ord(c)) for c in "gbeng")
    assert strip_invisible(f"\U0001f3f4{tags}\U000e007f") == "\U0001f3f4"


def test_the_bits_behind_a_visible_character_are_bounded() -> None:
    """The bound of docs/content.md, found by trying every character that may stay."""
    marks = ["", *sorted(CONTEXTUAL)]

    def bits(visible: str, behind: str) -> float:
        others = ["", *(mark for mark in marks[1:] if ord(mark) not in SELECTORS)]
        shown = {
            strip_invisible(f"{visible}{first}{second}{behind}")
            for first, second in product(marks, others)
        }
        return math.log2(len(shown))

    assert bits("a", "b") == 0
    assert 0 < bits("1", "2") <= 2
    assert 0 < bits("\u2764", "\u2764") <= 3
    assert 0 < bits("\u0645", "\u0645") <= 3
    assert 0 < bits("\u182c", "\u1828") < 5
    assert 0 < bits("\u182c", "\u05d0") < 5
    assert 0 < bits("\U00013338", "\U00013000") < 8
    assert 7 < bits("\u6f22", "\u6f22") < 8
    assert bits("\u6f22", "\u05d0") < 10


def repeat(part: str) -> str:
    """Return a text of 2 MiB, the largest file."""
    return part * (2 * 1024 * 1024 // len(part.encode()))


HOSTILE = [
    *(
        "a\u200b",
        "a\u00ad",
        "a\x85",
        "a\ufe0f",
        "a\ufe00",
        "a\U000e0100",
        "a\U000e0041",
    ),
    *("a\u200e", "a\u200e ", "a\u200d", "\u200d", "\ufe0f\u200d", "\u200b"),
    *("\u0645\u200c", "\u05d0\u200f", "\u05d0\u200f a", "\u2764\ufe0f"),
    *("\u6f22\U000e0100", "\U0001f468\u200d", "\U0001f468\ufe0f\u200d", "\u1820\u180e"),
    *("\U00013000\U00013430", "a\u200b\ufe0f\u200d\u200c", "\u0645\u200c\ufe0f"),
]


@pytest.mark.parametrize("part", HOSTILE, ids=ascii)
def test_the_time_is_in_proportion_to_the_text(part: str) -> None:
    """D-139: no repetition of the largest size takes long."""
    text = repeat(part)
    begin = time.process_time()
    strip_invisible(text)
    assert time.process_time() - begin < 1


def lines_of(text: str) -> Iterator[str]:
    """Yield each line, cleaned by itself."""
    return map(strip_invisible, text.split("\n"))


@given(mixed)
def test_a_line_is_cleaned_as_in_its_text(text: str) -> None:
    """No line end is a neighbour that keeps a character."""
    assert "\n".join(lines_of(text)) == strip_invisible(text)
