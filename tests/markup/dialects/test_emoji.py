"""Emoji and icons by name."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.emoji import EMOJI, ICON, find_emoji
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

SIGNS = Dialect("signs", inlines=(ICON, EMOJI))


@pytest.mark.parametrize(
    ("name", "emoji"),
    [
        ("smile", "😄"),
        ("tada", "🎉"),
        ("+1", "👍"),
        ("accordion", "🪗"),
        ("nothing", None),
    ],
)
def test_an_emoji_has_the_name_of_github_or_of_unicode(
    name: str, emoji: str | None
) -> None:
    """Other names are text."""
    assert find_emoji(name) == emoji


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Done :tada:", "Done 🎉"),
        ("- :material-clock-fast:{ .lg .middle } **Fast**", "- **Fast**"),
        ("| :material-check: | :octicons-x-24: |", "| ✓ | ✗ |"),
        ("- :material-plus: - plus", "- plus"),
        ("so :material-plus: - plus", "so - plus"),
        (":fontawesome-brands-github: GitHub", "GitHub"),
        ("a :nothing: b", "a :nothing: b"),
        ("`:tada:` 10:fire:30 std::fire::x", "`:tada:` 10:fire:30 std::fire::x"),
    ],
)
def test_icons_are_left_out_unless_they_mean_something(text: str, shown: str) -> None:
    """A check in a table is a word."""
    for output in Output:
        assert translate(text, SIGNS, output) == shown
