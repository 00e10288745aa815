"""Counts of invisible characters, by kind, with the first."""

import time

import pytest

from asdlc_kb.unicode.counts import count_removed, count_unseen, has_unseen
from asdlc_kb.unicode.invisible import strip_invisible


def test_each_kind_is_counted_and_the_first_is_named() -> None:
    """How many of which, the most first, and where."""
    text = "a\U000e0041b\U000e0042\ufe0fc\u202e\u00ad\x01\u200d\uffff"
    counted = count_removed(text, strip_invisible(text))
    assert counted is not None
    assert counted.at == 1
    assert counted.message == (
        "8 invisible characters (2 tag characters, 1 variation selector, "
        "1 bidirectional control, 1 ignorable character, 1 control character, "
        "1 joiner, 1 noncharacter), the first U+E0041"
    )


def test_what_stays_is_not_counted() -> None:
    """A joiner between letters that need it is not counted."""
    text = "\u0645\u200c\u062e a\u200cb"
    counted = count_removed(text, strip_invisible(text))
    assert counted is not None
    assert (counted.at, counted.message) == (
        5,
        "1 invisible character (1 joiner), the first U+200C",
    )
    assert count_removed("abc", "abc") is None
    assert count_removed("ab\u200b", "ab") is not None


def test_what_may_show_nothing_is_counted() -> None:
    """Private use, unassigned characters and braille's blank pattern are served."""
    counted = count_unseen("x\u2800y\ue000\ue001\u0378")
    assert counted is not None
    assert (counted.at, counted.message) == (
        1,
        "4 characters that may show nothing (2 private-use characters, 1 blank "
        "character, 1 unassigned character), the first U+2800",
    )
    assert count_unseen("plain \u00e9 \u6f22 \U0001f468") is None
    assert count_unseen("x\U000f0041") is not None


@pytest.mark.parametrize(
    "name",
    ["a\u3164", "a\u115f", "a\ufe0f", "a\u2800", "\u0645\u200c\u062e", "a\ue000"],
)
def test_a_name_has_none_of_them_wherever_it_stands(name: str) -> None:
    """A name is compared: an invisible character makes two of one."""
    assert has_unseen(name)
    assert not has_unseen("caf\u00e9-\u6f22\U0001f468")


@pytest.mark.parametrize("part", ["a\u200b", "a\ue000", "\U000e0041", "a\u0378"])
def test_counting_takes_time_in_proportion_to_the_text(part: str) -> None:
    """For the largest file, without a search per character."""
    text = part * (2 * 1024 * 1024 // len(part.encode()))
    begin = time.process_time()
    count_removed(text, strip_invisible(text))
    count_unseen(text)
    assert time.process_time() - begin < 2
