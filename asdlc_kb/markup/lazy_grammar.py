"""The Markdown grammars of readers, each made at its first use.

Importing the grammar takes 8 % of the startup time, and most texts are read by scanners
that do without it.
"""

from functools import cache
from typing import TYPE_CHECKING

from asdlc_kb.markup.headings import use_attributes

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@cache
def full_grammar() -> "MarkdownIt":
    """Return the grammar of CommonMark with tables and formulas."""
    from asdlc_kb.markup.formulas import use_formulas

    return _make_grammar().use(use_formulas)


@cache
def block_grammar() -> "MarkdownIt":
    """Return the grammar of blocks alone: their content is not parsed.

    Footnotes are where they are written.
    """
    from asdlc_kb.markup.grammar import use_footnotes

    markdown = _make_grammar()
    use_attributes(markdown)
    use_footnotes(markdown)
    markdown.core.ruler.enableOnly(["normalize", "block", "heading_attributes"])
    return markdown


@cache
def list_grammar() -> "MarkdownIt":
    """Return the grammar without indented code: any indented item is an item."""
    return _make_grammar().disable(["code", "table"])


def _make_grammar() -> "MarkdownIt":
    from asdlc_kb.markup.grammar import make_grammar

    return make_grammar()
