"""References of an article's frontmatter, as the last section of its body (D-144).

An entry is a mapping, a title or an address. Codes:

- KB017 a reference, or all of them, cannot be shown
"""

import datetime
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from asdlc_kb.files.clean_text import FieldCleaner
from asdlc_kb.files.problem import Problem
from asdlc_kb.frontmatter.nodes import Mapping, Scalar, Sequence, Value
from asdlc_kb.markup.heading_scanner import scan_headings, scan_roughly

HEADING: Final = "References"
"""The heading of the section; its anchor is `references`."""

MAX_REFERENCES: Final = 100
"""References of an article; further ones are left out."""

_AUTHORS: Final = ("author", "authors")
_DATES: Final = ("date", "published", "publishedDate", "year")
_ANNOTATIONS: Final = ("annotation", "description")

_WEB: Final = re.compile(r"(?i)https?://[^\s<>\"\\^`{|}]++")
"""An address that becomes a link."""
_MARKS: Final = re.compile(
    r"[\\`*\[\]<>~|@$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|(?<=\{)%"
    r"|(?i:(?<=mailto)|(?<=xmpp)):"
)
"""Characters that could begin Markdown, HTML, a Liquid tag or a link in a line."""
_START: Final = re.compile(r"[-+#=:]|\d{1,9}(?=[.)])")
"""What could make a line more than a paragraph."""
_PARENTHESES: Final = str.maketrans({"(": "%28", ")": "%29"})


class Reference(NamedTuple):
    """A source that an article cites; each text is on one line, or empty."""

    title: str
    url: str
    """An address of the web."""
    author: str
    date: str
    annotation: str

    def write(self) -> str:
        """Return the reference as Markdown: `[Title](url), Author, date. Annotation`.

        No value is read as Markdown.
        """
        title = escape_markdown(self.title or self.url)
        if self.url:
            title = f"[{title}]({self.url.translate(_PARENTHESES)})"
        source = (title, escape_markdown(self.author), escape_markdown(self.date))
        parts = (", ".join(filter(None, source)), escape_markdown(self.annotation))
        return ". ".join(filter(None, parts))


def append_references(body: str, cleaner: FieldCleaner, value: Value) -> str:
    """Return a body with the references of a field as its last section.

    A body with a section of that name stays as it is. Problems are added to those of
    the cleaner.
    """
    references = list(read_references(cleaner, value))
    if not references:
        return body
    if any(_is_references(heading) for _, heading in _find_headings(body)):
        _report(
            cleaner,
            value,
            "the body has a section References, so this field is not shown: "
            "keep one of them",
        )
        return body
    above = f"{body.rstrip()}\n\n" if body.strip() else ""
    items = "\n".join(f"- {reference.write()}" for reference in references)
    whole = f"{above}## {HEADING}\n\n{items}\n"
    if (len(above), HEADING) not in _find_headings(whole):
        message = "the body ends in a code block, so references are not shown: close it"
        _report(cleaner, value, message)
        return body
    return whole


def read_references(cleaner: FieldCleaner, value: Value) -> Iterator[Reference]:
    """Yield the references of a field that can be shown, at most `MAX_REFERENCES`."""
    entries = value.items if isinstance(value, Sequence) else (value,)
    if len(entries) > MAX_REFERENCES:
        message = f"only the first {MAX_REFERENCES} references are shown: shorten it"
        _report(cleaner, entries[MAX_REFERENCES], message)
    for entry in entries[:MAX_REFERENCES]:
        if isinstance(entry, Scalar) and entry.is_null:
            continue
        reference = _read(cleaner, entry)
        if reference.title or reference.url:
            yield reference
        else:
            message = "a reference without a title and an address is left out: add one"
            _report(cleaner, entry, message)


def escape_markdown(text: str) -> str:
    """Return a line of text as Markdown that shows it; only addresses become links."""
    escaped = _MARKS.sub(r"\\\g<0>", text)
    start = _START.match(text)
    if start is None:
        return escaped
    # The mark itself, or the one behind a number.
    at = start.end() if start[0].isdigit() else 0
    return f"{escaped[:at]}\\{escaped[at:]}"


def _read(cleaner: FieldCleaner, entry: Value) -> Reference:
    """Return an entry as a reference, which may be empty."""
    if isinstance(entry, Scalar):
        text = " ".join(cleaner.clean(entry).split())
        url = text if _WEB.fullmatch(text) else ""
        return Reference("" if url else text, url, "", "", "")
    if isinstance(entry, Sequence):
        return Reference("", "", "", "", "")
    return Reference(
        title=_text(cleaner, entry, "title"),
        url=_read_url(cleaner, entry),
        author=_text(cleaner, entry, *_AUTHORS),
        date=_shorten_date(_text(cleaner, entry, *_DATES)),
        annotation=_text(cleaner, entry, *_ANNOTATIONS),
    )


def _read_url(cleaner: FieldCleaner, entry: Mapping) -> str:
    text = _text(cleaner, entry, "url")
    if not text or _WEB.fullmatch(text):
        return text
    message = "the url of a reference is no link: begin it with http:// or https://"
    _report(cleaner, entry.items["url"], message)
    return ""


def _text(cleaner: FieldCleaner, entry: Mapping, *names: str) -> str:
    """Return the first of some values that is given, a list as one text."""
    for name in names:
        value = entry.items.get(name)
        if isinstance(value, Sequence):
            return ", ".join(text for text, _ in cleaner.clean_list(value))
        if isinstance(value, Scalar) and not value.is_null:
            return " ".join(cleaner.clean(value).split())
    return ""


def _shorten_date(text: str) -> str:
    """Return a date without the time of day; other texts as they are."""
    try:
        return datetime.datetime.fromisoformat(text).date().isoformat()
    except ValueError:
        return text


def _find_headings(text: str) -> list[tuple[int, str]]:
    """Return offset and Markdown of each heading, roughly if the text is unusual."""
    headings = scan_headings(text)
    if headings is None:
        headings = scan_roughly(text).headings
    return [(heading.start, heading.content) for heading in headings]


def _is_references(heading: str) -> bool:
    """Whether a heading has the text or the anchor of the section."""
    bare = heading.lower()
    return "{#references}" in bare or re.sub(r"\W+", "", bare) == "references"


def _report(cleaner: FieldCleaner, where: Value, message: str) -> None:
    cleaner.problems.append(
        Problem(cleaner.path, where.line, where.column, "KB017", message)
    )
