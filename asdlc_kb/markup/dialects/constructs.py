"""Constructs of every dialect as GitHub's Markdown: callouts, tabs, details, cards."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple, TypeAlias

from asdlc_kb.markup.dialects.elements import Element
from asdlc_kb.markup.dialects.source import Source

WriteElement: TypeAlias = Callable[[Element, Source], list[str]]
"""Return an element as GitHub's Markdown."""

KINDS: Final[Mapping[str, str]] = {
    kind: github
    for github, kinds in {
        "NOTE": "note info abstract summary tldr quote cite seealso see example "
        "question help faq todo default primary",
        "TIP": "tip hint success check done new good",
        "IMPORTANT": "important key",
        "WARNING": "warning attention bug deprecated warn",
        "CAUTION": "caution danger error failure fail missing critical",
    }.items()
    for kind in kinds.split()
}
"""GitHub's kind of callout by the kinds of other dialects."""

_TITLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("default", "primary"), ""),
    "faq": "FAQ",
    "seealso": "See also",
    "tldr": "TL;DR",
    "warn": "Warning",
}
"""Titles of kinds that are no title as they are; "" is that of GitHub's kind."""


class Tab(NamedTuple):
    """One of several texts of which a reader sees one."""

    label: str
    lines: list[str]
    """Translated."""


def write_inside(element: Element, source: Source) -> list[str]:
    """Return the text of an element without its tags."""
    return trim(source.translate(element.body or []))


def write_nothing(element: Element, source: Source) -> list[str]:
    """Leave an element out."""
    return []


def write_callout(
    kind: str, title: str, lines: Sequence[str], *, fold: str = ""
) -> list[str]:
    """Return a callout with translated lines; an unknown kind is a note.

    Without a title, its own kind is the title, unless GitHub shows the same word.
    `fold` is `-` for a collapsed one, `+` for one that can be collapsed.
    """
    name = kind.lower()
    known = KINDS.get(name, "NOTE")
    title = " ".join(title.split())
    title = title or _TITLES.get(name, kind[:1].upper() + kind[1:])
    if title.casefold() == known.casefold():
        title = ""
    head = f"> [!{known}]{fold} {title}".rstrip()
    return [head, *(f"> {line}".rstrip() for line in trim(lines))]


def write_tabs(tabs: Sequence[Tab], source: Source) -> list[str]:
    """Return a group of tabs; only a heading for each one if no HTML is allowed."""
    if not source.is_html:
        return list(
            _join(["", f"**{tab.label}**", "", *trim(tab.lines)] for tab in tabs)
        )
    written = ['<div class="tabs">']
    for number, tab in enumerate(tabs):
        state = "" if number else " open"
        written += [
            f"<details{state}>",
            f"<summary>{escape(tab.label, quote=False)}</summary>",
            "",
            *trim(tab.lines),
            "",
            "</details>",
        ]
    return [*written, "</div>"]


def write_details(
    summary: str, lines: Sequence[str], source: Source, *, is_open: bool = False
) -> list[str]:
    """Return a text that a reader can open."""
    if not source.is_html:
        return [f"**{summary}**", "", *trim(lines)]
    state = " open" if is_open else ""
    return [
        f"<details{state}>",
        f"<summary>{escape(summary, quote=False)}</summary>",
        "",
        *trim(lines),
        "",
        "</details>",
    ]


def write_card(title: str, href: str, lines: Sequence[str]) -> list[str]:
    """Return a card: an item of a list with a link, or a title above a text."""
    text = trim(lines)
    if not href:
        return [f"**{title}**", "", *text] if title else text
    words = " ".join(" ".join(text).split())
    is_short = len(text) <= 3 and not words.startswith(("-", "#", "|", ">", "`", "<"))
    link = f"- [{title or href}]({href})"
    if is_short:
        return [f"{link}: {words}" if words else link]
    return [link, "", *(f"  {line}".rstrip() for line in text)]


def trim(lines: Sequence[str]) -> list[str]:
    """Return lines without blank ones at the beginning and at the end."""
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while first < last and not lines[last - 1].strip():
        last -= 1
    return list(lines[first:last])


def _join(groups: Iterable[Sequence[str]]) -> list[str]:
    return trim([line for group in groups for line in group])
