"""The Markdown grammars of readers, each made at its first use.

Importing the grammar takes 8 % of the startup time, and most texts are read by scanners
that do without it.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@cache
def full_grammar() -> "MarkdownIt":
    """Return the grammar of CommonMark with tables."""
    return _make_grammar()


@cache
def block_grammar() -> "MarkdownIt":
    """Return the grammar of blocks alone: their content is not parsed."""
    markdown = _make_grammar()
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


@cache
def list_grammar() -> "MarkdownIt":
    """Return the grammar without indented code: any indented item is an item."""
    return _make_grammar().disable(["code", "table"])


def _make_grammar() -> "MarkdownIt":
    from asdlc_kb.markup.grammar import make_grammar

    return make_grammar()
