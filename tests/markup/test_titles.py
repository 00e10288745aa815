"""Titles of files and folders that have no title of their own."""

import pytest

from asdlc_kb.markup.titles import readable_title


@pytest.mark.parametrize(
    ("name", "title", "without_order"),
    [
        ("getting-started", "Getting started", "Getting started"),
        ("01-intro", "01 intro", "Intro"),
        ("2024_01_plan", "2024 01 plan", "01 plan"),
        ("3. API", "3. API", "API"),
        ("ways-of_working", "Ways of working", "Ways of working"),
        ("404", "404", "404"),
        ("-", "-", "-"),
        ("--", "--", "--"),
        ("a--b_", "A b", "A b"),
        ("éclair", "Éclair", "Éclair"),
    ],
)
def test_a_name_becomes_words(name: str, title: str, without_order: str) -> None:
    """Documentation drops ordering numbers; categories of articles keep them."""
    assert readable_title(name) == title
    assert readable_title(name, drops_order=True) == without_order
