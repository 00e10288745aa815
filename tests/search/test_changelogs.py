"""Changelogs by their names."""

import pytest

from asdlc_kb.search.changelogs import is_changelog


@pytest.mark.parametrize(
    "path",
    [
        "changelog",
        "CHANGELOG.md",
        "guide/change-log",
        "release-notes",
        "about/release_notes",
        "Release Notes/2024-01",
        "releases/v1.2",
        "docs/changelog-2.x",
        "history",
        "news/2024/first",
        "whats-new",
        "what's new",
    ],
)
def test_a_changelog_is_known_by_its_name(path: str) -> None:
    """Or by that of a folder."""
    assert is_changelog(path)


@pytest.mark.parametrize(
    "path",
    ["guide/releasing", "newsletter", "git/history-rewriting", "change", "latest"],
)
def test_other_pages_are_no_changelogs(path: str) -> None:
    """A part of a word says nothing."""
    assert not is_changelog(path)


def test_the_operator_names_more() -> None:
    """As patterns of whole paths."""
    assert is_changelog("blog/2024/hello", ("blog/*",))
    assert not is_changelog("guide/blog/hello", ("blog/*",))
