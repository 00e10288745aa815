"""Fast scanner for the links of a Markdown text, for graphs and backlinks.

Anything like a link outside code counts. `markup.outline` finds links by the grammar,
with positions, in a hundred times the time.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from asdlc_kb.markup.blocks import find_fenced

_SPAN: Final = re.compile(
    r"(?<!`)(`++)(?:(?!\n[ \t]*+\n).){1,200}?(?<!`)\1(?!`)", re.DOTALL
)
_SHOWN: Final = re.compile(r"[^\n]")
_LINK: Final = re.compile(
    r"\]\([ \t]*<?(?P<inline>[^\s<>()]+)"
    r"|^ {0,3}\[[^\]\n]+\]:[ \t]*<?(?P<defined>[^\s<>]+)"
    r"|<(?P<auto>kb:[^\s<>]+)>"
    r"|\bhref\s*=\s*[\"'](?P<html>[^\"'\n]+)[\"']",
    re.MULTILINE,
)


def find_links(text: str) -> Iterator[str]:
    """Yield the link destinations of a text, as written."""
    if (
        "](" not in text
        and "]:" not in text
        and "href" not in text
        and "kb:" not in text
    ):
        return
    for match in _LINK.finditer(cut_code(text)):
        yield match[match.lastgroup or 0]


def cut_code(text: str) -> str:
    """Return a text without fenced code and code spans."""
    # No code span crosses a blank line.
    return _SPAN.sub("", _replace_fenced(text, lambda code: "\n"))


def blank_code(text: str) -> str:
    """Return a text with blanks for fenced code and code spans; its lines stay."""
    shown = _replace_fenced(text, lambda code: "\n" * code.count("\n"))
    return _SPAN.sub(lambda span: _SHOWN.sub(" ", span[0]), shown)


def _replace_fenced(text: str, replace: Callable[[str], str]) -> str:
    parts: list[str] = []
    at = 0
    for start, end in find_fenced(text):
        parts += (text[at:start], replace(text[start:end]))
        at = end
    return "".join([*parts, text[at:]])
