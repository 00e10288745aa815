"""Lines of a list of links for language models, as llmstxt.org writes them."""

from typing import Final

from asdlc_kb.site.layout.frame import SiteIdentity

DOCUMENTATION: Final = "Documentation"
"""The section title of a documentation tree."""

MAX_NOTE_CHARS: Final = 300
"""Characters of a description in the list."""

_PLAIN: Final = str.maketrans({"[": "(", "]": ")", "\\": "\\\\"})
"""Escapes, so that the text of a link cannot end it."""


def write_link(identity: SiteIdentity, title: str, where: str, note: str) -> str:
    """Return a line with a link and a note."""
    name = one_line(title).translate(_PLAIN)
    text = one_line(note)[:MAX_NOTE_CHARS]
    return f"- [{name}]({identity.cite(where)}){f': {text}' if text else ''}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def one_line(text: str) -> str:
    """Return a text without line ends and repeated blanks."""
    return " ".join(text.split())
