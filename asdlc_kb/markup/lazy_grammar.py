"""The Markdown grammars of readers, each made at its first use.

Importing the grammar is a tenth of the startup time, unused until Markdown is parsed.
"""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@cache
def full_grammar() -> "MarkdownIt":
    """Return the grammar of CommonMark with tables."""
    from asdlc_kb.markup.grammar import make_grammar

    return make_grammar()


@cache
def block_grammar() -> "MarkdownIt":
    """Return the grammar of blocks alone: their content is not parsed."""
    from asdlc_kb.markup.grammar import make_grammar

    markdown = make_grammar()
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


@cache
def list_grammar() -> "MarkdownIt":
    """Return the grammar without indented code: any indented item is an item."""
    from asdlc_kb.markup.grammar import make_grammar

    return make_grammar().disable(["code", "table"])
