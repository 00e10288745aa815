"""Titles of files and folders that have no title of their own."""

import pytest

from asdlc_kb.markup.titles import find_html_title, readable_title


@pytest.mark.parametrize(
    ("name", "title", "without_order"),
    [
        ("getting-started", "Getting started", "Getting started"),
        ("01-intro", "01 intro", "Intro"),
        ("2024_01_plan", "2024 01 plan", "01 plan"),
        ("2024-01-02", "2024 01 02", "2024-01-02"),
        ("2024-01-02-first-news", "2024 01 02 first news", "First news"),
        ("2024-01-023", "2024 01 023", "01 023"),
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


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            '<h1 align="center">\n  <img src="a.png"><br>\n  Zap &amp; <b>Co</b></h1>',
            "Zap & Co",
        ),
        ("<div>\n    <H1>Zap</H1>\n</div>\n\n# Later\n", "Zap"),
        ("<h1><img src='a.png' alt='Zap'></h1>\n", "Zap"),
        ("<p>x</p>\n\n## Install\n\n<h1>Zap</h1>\n", ""),
        ("```html\n<h1>Zap</h1>\n```\n", ""),
        ("    <h1>Zap</h1>\n", ""),
        ("Zap\n===\n\n<h1>Other</h1>\n", ""),
        ("<h1>never closed\n", ""),
        ("<h10>Zap</h10>\n", ""),
        ("", ""),
    ],
)
def test_a_title_may_be_html(text: str, title: str) -> None:
    """As on top of many a README, above any heading in Markdown."""
    assert find_html_title(text) == title
