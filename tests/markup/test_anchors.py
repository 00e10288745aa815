"""Anchors of headings are GitHub's, so that a link works there and here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.markup.anchors import Anchors, slugify


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("Steps", "steps"),
        ("Two Words", "two-words"),
        ("two  blanks", "two--blanks"),
        ("What, why & how?", "what-why--how"),
        ("snake_case and kebab-case", "snake_case-and-kebab-case"),
        ("`code()` in 3.14", "code-in-314"),
        ("Über Größe", "über-größe"),
        ("भाषा हिन्दी", "भाषा-हिन्दी"),
        ("漢字 かな", "漢字-かな"),
        ("\U0001f680 Start", "-start"),
        ("a\tb\nc", "abc"),
        ("Ⅳ. x²", "ⅳ-x"),
        ("?!", ""),
    ],
)
def test_an_anchor_is_what_github_makes_of_a_heading(text: str, anchor: str) -> None:
    """GitHub: lower case, letters, marks, digits, `_` and `-`; a blank is `-`."""
    assert slugify(text) == anchor


def test_the_same_heading_again_gets_a_number() -> None:
    """GitHub counts from 1, and skips a number that a heading has itself."""
    anchors = Anchors()
    added = [anchors.add(text) for text in ("A", "a", "A 1", "A", "A-1", "B", "", "?")]
    assert added == ["a", "a-1", "a-1-1", "a-2", "a-1-2", "b", "", "-1"]


@given(st.lists(st.text(alphabet="aA1- ?é")))
def test_no_two_headings_of_a_text_share_an_anchor(texts: list[str]) -> None:
    """An anchor leads to one place."""
    anchors = Anchors()
    added = [anchors.add(text) for text in texts]
    assert len(set(added)) == len(added)


def test_a_selector_goes_with_the_sign_that_it_belongs_to() -> None:
    """An anchor has no invisible character of its own."""
    assert slugify("x\u00a9\ufe0fy") == "xy"


def test_an_explicit_id_is_not_assigned_to_another_heading() -> None:
    """Even if its heading comes later; a second use gets a number."""
    anchors = Anchors(["b", "c", "KB-x"])
    added = [
        anchors.add("A", "b"),
        anchors.add("C"),
        anchors.add("D", "c"),
        anchors.add("E", "b"),
        anchors.add("F", "KB-x"),
    ]
    assert added == ["b", "c-1", "c", "b-1", "f"]
