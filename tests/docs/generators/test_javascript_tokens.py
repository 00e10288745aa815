"""Tokens of JavaScript."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.docs.generators.javascript_tokens import tokenize, unescape


def kinds(text: str) -> list[str]:
    """Return the kinds of a text's tokens."""
    return [token.kind for token in tokenize(text)]


def test_a_slash_divides_after_a_value_and_begins_an_expression_elsewhere() -> None:
    """By the token before it."""
    assert kinds("a / b / c") == ["name", "/", "name", "/", "name"]
    assert kinds("x = /a[/]b/g") == ["name", "=", "regex"]
    assert kinds("return /a/") == ["name", "regex"]
    assert kinds("f(/'/)") == ["name", "(", "regex", ")"]


def test_comments_are_no_tokens() -> None:
    """Nor are they strings."""
    assert kinds("#!/usr/bin/env node\na // 'b\n/* c */ 'd' /* e") == ["name", "string"]


def test_a_template_with_a_substitution_is_computed() -> None:
    """Whatever braces and quotes are in it."""
    assert kinds("`a` `b ${ {c: `d`} } e` f") == ["template", "computed", "name"]


def test_escapes_are_resolved() -> None:
    """An invalid code point is the replacement character."""
    assert unescape(r"\n\u{1F600}\u00e9\x41\q") == "\n\N{GRINNING FACE}éAq"
    assert unescape(r"\ud800\u{ffffff}") == "\N{REPLACEMENT CHARACTER}" * 2


@given(st.text())
def test_the_tokens_of_any_text_are_in_it(text: str) -> None:
    """In order, and nothing else."""
    at = 0
    for token in tokenize(text):
        at = text.index(token.text, at) + len(token.text)
