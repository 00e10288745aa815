"""Versions and languages in the navigation of Mintlify."""

import json
from pathlib import Path

import pytest
from support.generators import configured

from asdlc_kb.docs.edition import ONE_EDITION, EditionReader
from asdlc_kb.docs.generators import TreeConfiguration


def read(top: Path, navigation: object, *pages: str) -> TreeConfiguration:
    """Return the configuration of a site with this navigation and these pages."""
    fields = {"name": "Site", "navigation": navigation}
    files = {"docs.json": json.dumps(fields), **dict.fromkeys(pages, "")}
    return configured(top, files)


def test_the_common_folder_of_the_pages_is_the_version(tmp_path: Path) -> None:
    """The outermost that no other version has; the first or stated is the default."""
    navigation = {
        "versions": [
            {"version": "1.0", "groups": [{"group": "A", "pages": ["old/v1/a/x"]}]},
            {"version": "2.0", "default": True, "pages": ["old/v2/a", "old/v2/b/c"]},
            {"version": "beta", "pages": ["next/guide/a", "/next/guide/b"]},
        ]
    }
    pages = ("old/v1/a/x.md", "old/v2/a.md", "next/guide/a.md")
    rules = read(tmp_path, navigation, *pages).editions
    assert rules.versions == {"old/v1": "1.0", "old/v2": "2.0", "next": "beta"}
    assert (rules.version, rules.default_version) == ("2.0", "2.0")
    del navigation["versions"][1]
    assert read(tmp_path, navigation).editions.default_version == "1.0"


def test_a_language_may_be_that_of_the_root(tmp_path: Path) -> None:
    """And have versions of its own."""
    navigation = {
        "languages": [
            {"language": "en", "pages": ["index", "guide/a"]},
            {
                "language": "pt-br",
                "versions": [
                    {"version": "1", "pages": ["pt/v1/a"]},
                    {"version": "2", "pages": ["pt/v2/a", "pt/v2/b"]},
                ],
            },
        ]
    }
    rules = read(tmp_path, navigation, "pt/v1/a.md", "pt/v2/a.md").editions
    assert rules.languages == {"pt": "pt-BR"}
    assert rules.versions == {"pt/v1": "1", "pt/v2": "2"}
    assert (rules.language, rules.default_language) == ("en", "en")
    reader = EditionReader(rules)
    assert reader.name_page("pt/v2/a.md") == "a.md"
    assert reader.read("pt/v2/a.md").language == "pt-BR"


def test_pages_that_are_mixed_have_no_editions(tmp_path: Path) -> None:
    """A note says so."""
    pages = {"en": "a", "fr": "b"}
    languages = [{"language": key, "pages": [page]} for key, page in pages.items()]
    found = read(tmp_path, {"languages": languages})
    assert not found.editions.languages
    assert found.notes == ("docs.json: the pages of en and fr are in one folder",)


@pytest.mark.parametrize(
    "navigation",
    [
        *({"versions": 3}, {"versions": [3, {"version": [1]}]}, {"languages": [{}]}),
        {"languages": [{"language": "../x", "pages": ["../x/a"]}]},
        {"versions": [{"version": "a b", "pages": ["x/a"]}]},
        {"tabs": [{"tab": "A", "pages": [{"group": "B", "pages": [None, 3]}]}]},
    ],
)
def test_broken_editions_are_none(navigation: object, tmp_path: Path) -> None:
    """The tree has one."""
    assert read(tmp_path, navigation, "x/a.md").editions == ONE_EDITION


def test_a_deep_navigation_is_bounded(tmp_path: Path) -> None:
    """What is deeper is left out."""
    navigation: object = {"versions": [{"version": "1", "pages": ["v1/a"]}]}
    for _ in range(40):
        navigation = {"pages": [{"group": "G", **navigation}]}  # type: ignore[dict-item]
    assert read(tmp_path, navigation, "v1/a.md").editions == ONE_EDITION
