"""Titles of texts that have no title in Markdown, and from the names of files."""

import re
from html import unescape
from typing import Final

_ORDER: Final = re.compile(r"\A\d{1,4}[-_. ]+(?=\S)")
_DATE: Final = re.compile(r"\A\d{4}([-_. ])\d{1,2}\1\d{1,2}(?!\d)")
"""A date, which is not an ordering number."""
_AFTER_DATE: Final = re.compile(r"[-_. ]+(?=\S)")

_END: Final = re.compile(r"[ \t]*(?:#{1,6}(?:\s|$)|`{3}|~{3}|={3})")
"""A line with which a Markdown heading or code begins."""
_OPENING: Final = re.compile(r"(?i)[ \t]*<h1(?:\s[^<>]*)?>")
_CLOSING: Final = re.compile(r"(?i)</h1\s*>")
_TAG: Final = re.compile(r"<[^<>]*>")
_ALTERNATIVE: Final = re.compile(
    r"(?i)<img\s[^<>]*?\balt=(?:\"([^\"<>]*)\"|'([^'<>]*)')"
)


def readable_title(name: str, *, drops_order: bool = False) -> str:
    """Return a name in words, the first one capitalized.

    `drops_order` drops a leading ordering number, as in `01-intro`, or the date of a
    post. A name that is a date is a title as it is.
    """
    if drops_order and (date := _DATE.match(name)):
        rest = name[date.end() :]
        if not rest:
            return name
        if begin := _AFTER_DATE.match(rest):
            return readable_title(rest[begin.end() :])
    shown = drop_order(name) if drops_order else name
    words = " ".join(shown.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:] or name


def drop_order(name: str) -> str:
    """Return the name of a file or folder without a leading ordering number."""
    return _ORDER.sub("", name)


def find_html_title(text: str) -> str:
    """Return the words of an `<h1>` above the first heading in Markdown, or "".

    A picture in it stands for its alternative text if there are no words.
    """
    at, is_html = 0, False
    for line in text.splitlines(keepends=True):
        if _END.match(line):
            return ""
        is_html = is_html or line.startswith("<")
        opening = _OPENING.match(line)
        if opening and (is_html or not line.startswith(("\t", "    "))):
            closing = _CLOSING.search(text, at)
            html = text[at + opening.end() : closing.start() if closing else at]
            words = unescape(_TAG.sub(" ", html))
            if not words.strip() and (picture := _ALTERNATIVE.search(html)):
                words = unescape(picture[1] or picture[2] or "")
            return " ".join(words.split())
        at += len(line)
    return ""
