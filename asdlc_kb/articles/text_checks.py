"""Checks of an article's text for what its author meant to finish.

Codes:

- KB026 a visible article without a text, or a mistake that shows another text than the
  author sees: marks of a merge, code that does not end, a heading that is none
"""

import re
from collections.abc import Iterator
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.markup.blocks import find_fenced
from asdlc_kb.markup.link_scanner import blank_code

TEMPLATE_DESCRIPTION: Final = "One sentence: what it says, and when to read it"
"""The description of a new article."""

_OURS = re.compile(r"^<{7} ", re.MULTILINE)
_THEIRS = re.compile(r"^>{7} ", re.MULTILINE)
_LINK_WITH_BLANK = re.compile(
    r"\]\((?!<)[^\s()<>\"']+ [^()<>\"'\n]*\.(?:md|png|jpe?g|gif|svg|webp|pdf)"
    r"(?:#[^\s()]*)?\)"
)
_GLUED = re.compile(r"^##{1,5}[^\s#]", re.MULTILINE)


def check_text(article: Article) -> Iterator[tuple[int, str]]:
    """Yield mistakes, each with its line in the body, or 0 for the whole article."""
    body = article.body
    if article.status.is_visible:
        if not body.strip():
            yield 0, "a visible article has no text: write one, or set status: Draft"
        if article.description == TEMPLATE_DESCRIPTION:
            yield 0, "the description is that of the template: write one"
    # A line below ends no code block, but belongs to one that is not closed.
    *_, (start, end) = [(0, 0), *find_fenced(f"{body}\n.")]
    if end > len(body):
        yield _count_lines(body, start), "a code block is not closed: close it"
    text = blank_code(body)
    if (ours := _OURS.search(text)) and _THEIRS.search(text, ours.end()):
        message = "a merge conflict: keep one of the versions, without the marks"
        yield _count_lines(text, ours.start()), message
    for link in _LINK_WITH_BLANK.finditer(text):
        message = "a link with a blank is shown as text: write '%20' for the blank"
        yield _count_lines(text, link.start()), message
    for glued in _GLUED.finditer(text):
        message = "a heading without a space after its '#' is shown as text: add it"
        yield _count_lines(text, glued.start()), message


def _count_lines(text: str, end: int) -> int:
    return text.count("\n", 0, end) + 1
