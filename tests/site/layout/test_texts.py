"""The words of the site: one table, complete in every language."""

import json
import re
from pathlib import Path
from string import Formatter

import pytest

from asdlc_kb.site.layout import assets
from asdlc_kb.site.layout.texts import (
    SCRIPTS,
    choose_texts,
    list_script_texts,
    read_texts,
)

SITE = Path(__file__).parents[3] / "asdlc_kb" / "site"
LANGUAGES = ("en", "de", "fr", "es", "zh", "ja", "ar", "it", "ko", "pt", "ru")
MAX_TEXTS = 82
"""A table that translators read in one go."""

ENGLISH_WORDS = re.compile(r">\s*[A-Z][a-z]+|(?:aria-label|placeholder|title)=\"[A-Z]")
"""Words in a template that are not from the table."""
ENGLISH_PAGES = {
    *("connect.html", "problems.html", "evaluation_file.html"),
    *("insights.html", "insights_bars.html", "insights_body.html"),
    "insights_file.html",
    *("project.html", "project_file.html", "projects.html"),
}
"""Pages about programs and their use, in English for all readers."""
KEPT = {
    "article.html": [">Experimental"],
    "base.html": ['title="M'],
}
"""Names that are the same in every language."""


def names_in(text: str) -> set[str]:
    """Return the names of values in a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def list_used() -> set[str]:
    """Return the texts that templates, modules and scripts name."""
    used = set(list_script_texts())
    for file in (SITE / "layout" / "templates").glob("*.html"):
        source = file.read_text(encoding="utf-8")
        used |= set(re.findall(r"\btext\('([^']+)'", source))
        used |= set(re.findall(r'\("(\w+)", editions\.', source))
    for file in SITE.rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        used |= set(re.findall(r"(?:\btext|find_texts\(\))\(\s*\"([^\"]+)\"", source))
    return used


def test_the_table_has_every_text_in_every_language() -> None:
    """At most `MAX_TEXTS` texts, none of them empty, with the same values in each."""
    texts = read_texts()
    assert tuple(texts) == LANGUAGES
    table = (SITE / "layout" / "texts.tsv").read_text(encoding="utf-8")
    _, *rows = (line.split("\t") for line in table.removesuffix("\n").split("\n"))
    assert 60 < len(rows) <= MAX_TEXTS
    names = [row[0] for row in rows]
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=lambda name: (name.lower(), name))
    for row in rows:
        assert len(row) == len(LANGUAGES), row[0]
        for text in row:
            assert text == text.strip() != ""
            assert names_in(text) == names_in(row[0]), text


def test_every_text_of_the_table_is_used_and_every_used_one_is_there() -> None:
    """Also those of scripts."""
    table = (SITE / "layout" / "texts.tsv").read_text(encoding="utf-8")
    names = {line.partition("\t")[0] for line in table.splitlines()[1:]}
    assert list_used() == names


@pytest.mark.parametrize(
    "file", sorted((SITE / "layout" / "templates").glob("*.html")), ids=lambda f: f.name
)
def test_a_template_has_no_words_of_its_own(file: Path) -> None:
    """They would be English in every language."""
    if file.name in ENGLISH_PAGES:
        return
    source = re.sub(r"\{[{%].*?[}%]\}", "", file.read_text(encoding="utf-8"))
    assert ENGLISH_WORDS.findall(source) == KEPT.get(file.name, [])


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("FR-ca", "fr"),
        ("es-419", "es"),
        ("zh", "zh"),
        ("zh-CN", "zh"),
        ("zh-Hans-SG", "zh"),
        ("zh-TW", "en"),
        ("zh-Hant", "en"),
        ("ja", "ja"),
        ("en-GB", "en"),
        ("ar", "ar"),
        ("pt-BR", "pt"),
        ("he", "en"),
        ("den", "en"),
        ("", "en"),
    ],
)
def test_readers_get_their_language_or_english(tag: str, language: str) -> None:
    """The primary language decides; traditional Chinese is not simplified Chinese."""
    assert choose_texts(tag).language == language


def test_a_text_has_its_values() -> None:
    """In place of their names, whatever characters they have."""
    german = choose_texts("de")
    assert german("Search") == "Suche"
    assert german("Open in {name}", name="{x}") == "In {x} öffnen"
    assert choose_texts("fr")("page {number}", number=2) == "page 2"
    with pytest.raises(KeyError):
        german("Nothing like it")


def test_scripts_get_their_texts_from_the_page() -> None:
    """English pages need none; scripts name texts as templates do."""
    assert choose_texts("en").of_scripts == ""
    german = json.loads(choose_texts("de").of_scripts)
    assert tuple(german) == tuple(list_script_texts())
    assert german["Copied"] == "Kopiert"
    for name in SCRIPTS:
        assert assets.read(name).decode().count("translate(") > 0
