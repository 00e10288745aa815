"""The table of lexers that may run in the server's process."""

import pygments
from pygments.lexers import find_lexer_class, get_all_lexers

from asdlc_kb.markup import lexers

EXPONENTIAL = {"BashLexer", "CddlLexer", "DockerLexer", "ScalaLexer"}
"""Lexers that one line of backslashes or blanks blocks for ever (Pygments 2.21)."""


def test_every_lexer_of_the_table_exists() -> None:
    """A renamed class is measured again, and listed under its new name."""
    classes = (find_lexer_class(name) for name, *_ in get_all_lexers(plugins=False))
    assert {c.__name__ for c in classes if c} >= lexers.LINEAR_LEXERS


def test_exponential_lexers_are_not_in_the_table() -> None:
    """D-062: a lexer that may run for ever must run where it can be ended."""
    assert not EXPONENTIAL & lexers.LINEAR_LEXERS


def test_what_calls_any_lexer_by_name_is_not_in_the_table() -> None:
    """A lexer costs as much as those that a text makes it call."""
    assert not {"MarkdownLexer", "RstLexer"} & lexers.LINEAR_LEXERS


def test_common_lexers_are_in_the_table() -> None:
    """Most pages need no other process."""
    common = {"JsonLexer", "PythonLexer", "YamlLexer", "JavascriptLexer", "HtmlLexer"}
    assert common <= lexers.LINEAR_LEXERS


def test_the_table_names_the_version_that_was_measured() -> None:
    """Another version has other regular expressions: the table is to be made again."""
    measured = ".".join(pygments.__version__.split(".")[:2])
    assert f"Pygments {measured}." in (lexers.__doc__ or "")
