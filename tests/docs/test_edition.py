"""Versions and languages of pages by their paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.edition import Edition, EditionReader, EditionRules

RULES = EditionRules(
    version="next",
    language="en",
    versions={"v1": "1.0", "old/v0": "0.9"},
    languages={"fr": "fr", "v1/fr": "fr"},
    suffixes={"de": "de"},
    default_version="1.0",
    default_language="en",
)


@pytest.mark.parametrize(
    ("path", "version", "language", "name"),
    [
        ("intro.md", "next", "en", "intro.md"),
        ("guide/intro.md", "next", "en", "guide/intro.md"),
        ("v1/intro.md", "1.0", "en", "intro.md"),
        ("v1/guide/intro.md", "1.0", "en", "guide/intro.md"),
        ("fr/intro.md", "next", "fr", "intro.md"),
        ("v1/fr/guide/intro.md", "1.0", "fr", "guide/intro.md"),
        ("old/v0/intro.md", "0.9", "en", "old/intro.md"),
        ("guide/intro.de.md", "next", "de", "guide/intro.md"),
        ("v1/intro.de.mdx", "1.0", "de", "intro.mdx"),
        ("v1.md", "next", "en", "v1.md"),
        ("guide/v1/intro.md", "next", "en", "guide/v1/intro.md"),
        ("de.md", "next", "en", "de.md"),
        ("intro.xx.md", "next", "en", "intro.xx.md"),
    ],
)
def test_a_path_states_the_edition_of_its_page(
    path: str, version: str, language: str, name: str
) -> None:
    """Folders of versions and languages, and the end of a file's name."""
    reader = EditionReader(RULES)
    edition = reader.read(path)
    assert (edition.version, edition.language) == (version, language)
    assert edition.is_default_version is (version == "1.0")
    assert edition.is_default_language is (language == "en")
    assert edition.is_default is ((version, language) == ("1.0", "en"))
    assert reader.name_page(path) == name


@given(st.text("ab/.", min_size=1, max_size=20))
def test_a_tree_without_rules_has_one_edition(path: str) -> None:
    """Whatever the path, and its name is the path."""
    reader = EditionReader(EditionRules())
    assert reader.read(path) == Edition()
    assert reader.name_page(path) == path
