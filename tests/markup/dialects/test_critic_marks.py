"""Critic Markup."""

import pytest

from asdlc_kb.markup.dialects.critic_marks import CRITIC_LINE, CRITIC_MARKS
from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

CRITIC = Dialect("critic", (CRITIC_LINE,), CRITIC_MARKS)


@pytest.mark.parametrize(
    ("text", "html", "markdown"),
    [
        ("a {++new++} b", "a <ins>new</ins> b", "a new b"),
        ("a {--old--} b", "a ~~old~~ b", "a ~~old~~ b"),
        ("{~~old~>new~~}", "~~old~~ <ins>new</ins>", "~~old~~ new"),
        ("{==so==}{>> why <<}", "<mark>so</mark>(why)", "so(why)"),
        ("{==\n\nText\n\n==}", "\nText\n", "\nText\n"),
    ],
)
def test_proposed_changes_are_shown(text: str, html: str, markdown: str) -> None:
    """With the text before and after them."""
    assert translate(text, CRITIC, Output.HTML) == html
    assert translate(text, CRITIC, Output.MARKDOWN) == markdown


@pytest.mark.parametrize(
    "text", ["`{++a++}`", "{{ a }}", "{--main: {{ x }}--}", "{++a", "a {--x} b"]
)
def test_other_braces_are_text(text: str) -> None:
    """Templates and style sheets."""
    assert translate(text, CRITIC, Output.HTML) == text
