"""Editions are described for the operator."""

from pathlib import Path

from asdlc_kb.docs.edition import ONE_EDITION, EditionFolder, EditionRules


def test_one_edition_is_not_worth_a_word() -> None:
    """One version in one language is not either."""
    assert ONE_EDITION.describe() == ""
    rules = EditionRules(version="1", default_version="1", language="en")
    assert rules.describe() == ""


def test_versions_and_languages_are_counted() -> None:
    """Those in folders, of suffixes and outside; an unknown one is one too."""
    rules = EditionRules(
        version="next",
        versions={"1.0": "1.0", "fr/1.0": "1.0"},
        default_version="1.0",
        suffixes={"de": "de"},
        folders=(EditionFolder(Path("x"), "fr", "next", "fr"),),
    )
    assert rules.describe() == "2 versions (default 1.0), 3 languages"
