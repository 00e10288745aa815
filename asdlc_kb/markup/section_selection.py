"""Selection of a text's sections by heading or anchor.

A section includes its subsections. Headings in code are ignored, so no fence is cut.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from asdlc_kb.exceptions import SectionNotFound
from asdlc_kb.markup.anchor_index import AnchorIndex
from asdlc_kb.markup.footnotes import find_anchors, find_marks
from asdlc_kb.markup.sections import Section, split_sections
from asdlc_kb.unicode.near_names import NearNames

LEAD_ANCHOR: Final = "top"
"""Anchor of the text above a page's first subheading, as browsers know it."""

MAX_LISTED_SECTIONS: Final = 100
"""Sections listed in an error."""

_MAX_HEADING_CHARS: Final = 200
"""Characters of a heading or an anchor in an error."""

_WORD = re.compile(r"[^\W_]+")


class TitledText(Protocol):
    """A page or an article."""

    @property
    def path(self) -> str:
        """Its name in errors."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def body(self) -> str:
        """Its Markdown."""

    @property
    def is_titled(self) -> bool:
        """Whether the body begins with the title, as a heading."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Selected sections of a page."""

    text: str
    """The page's title line, followed by the sections."""
    sections: tuple[Section, ...]


def choose_sections(page: TitledText, wanted: Sequence[str]) -> Excerpt:
    """Return sections of a page, in page order.

    A name is a heading's text or anchor, case-insensitive, and without punctuation and
    emoji where that finds nothing; it selects every heading that matches. The anchor
    may be that of another generator (see `markup.anchor_index`), or that of a footnote:
    the section that has it. An empty name is the page's lead: the text above the first
    subheading; so is `top`, the anchor that HTML gives to it, where nothing else has
    this name. The path of headings of a search result, with or without its anchor, is a
    name too: `A > B (#b)`. Raises SectionNotFound if no heading matches.
    """
    sections = split_sections(page.body)
    chosen: set[int] = set()
    for name in wanted:
        found = (_find(sections, each, page) for each in _list_spellings(name))
        numbers = next((each for each in found if each is not None), None)
        if numbers is None:
            raise _not_found(sections, name, page)
        chosen.update(numbers)
    parts = [sections[at].markdown for at in sorted(chosen)]
    title = next((at for at, s in enumerate(sections) if s.level == 1), None)
    if not page.is_titled or title is None:
        parts.insert(0, f"# {page.title}")
    elif title not in chosen:
        lines = sections[title].markdown.split("\n")
        parts.insert(0, "\n".join(lines[: sections[title].heading_lines]))
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    return Excerpt(text, tuple(sections[at] for at in sorted(chosen)))


def _list_spellings(name: str) -> Iterator[str]:
    """Yield a name as given, the anchor at its end, and its last heading."""
    yield name
    heading, mark, anchor = name.strip().rpartition(" (#")
    if mark and anchor.endswith(")"):
        yield f"#{anchor[:-1]}"
        yield heading
    _, mark, last = (heading or name).rpartition(" > ")
    if mark:
        yield last


def _find(sections: Sequence[Section], name: str, page: TitledText) -> set[int] | None:
    """Return the numbers of the sections with a name, subsections included.

    Returns None if no heading matches.
    """
    if not name.strip():
        return _find_lead(sections, page)
    for fold in (_normalize, _fold_words):
        wanted = fold(name)
        matches = [
            at
            for at, section in enumerate(sections)
            if section.level and wanted in (fold(section.heading), fold(section.anchor))
        ]
        if wanted and matches:
            return {each for at in matches for each in _with_subsections(sections, at)}
        if wanted and wanted == fold(page.title):
            return set(range(len(sections)))
    anchors = AnchorIndex(section.anchor for section in sections if section.level)
    if (anchor := anchors.find(name.strip().removeprefix("#"))) is not None:
        at = next(at for at, section in enumerate(sections) if section.anchor == anchor)
        return set(_with_subsections(sections, at))
    if (number := _find_footnote(sections, name, page)) is not None:
        return {number}
    if name.strip().removeprefix("#").casefold() == LEAD_ANCHOR:
        return _find_lead(sections, page)
    return None


def _not_found(
    sections: Sequence[Section], name: str, page: TitledText
) -> SectionNotFound:
    headings = [section.heading for section in sections if section.level]
    near = NearNames((heading, heading[:_MAX_HEADING_CHARS]) for heading in headings)
    return SectionNotFound(name, page.path, _name_all(sections), near.find(name))


def _find_lead(sections: Sequence[Section], page: TitledText) -> set[int]:
    """Return the numbers of the sections above the first heading below the title."""
    lead: set[int] = set()
    for at, section in enumerate(sections):
        is_title = section.level == 1 or _normalize(section.heading) == _normalize(
            page.title
        )
        has_title = any(sections[number].level for number in lead)
        if section.level and (has_title or not is_title):
            break
        lead.add(at)
    return lead


def _find_footnote(
    sections: Sequence[Section], name: str, page: TitledText
) -> int | None:
    """Return the number of the section with a footnote, or with a reference to it."""
    found = find_anchors(page.body).get(name.strip().removeprefix("#"))
    if found is None:
        return None
    anchor, note = found
    mark = note.label, not anchor.startswith("fnref")
    numbers = (
        at
        for at, section in enumerate(sections)
        if mark in find_marks(section.markdown)
    )
    return next(numbers, None)


def _normalize(name: str) -> str:
    return " ".join(name.lstrip("# ").split()).casefold()


def _fold_words(name: str) -> str:
    return " ".join(_WORD.findall(name)).casefold()


def _with_subsections(sections: Sequence[Section], at: int) -> range:
    level = sections[at].level
    end = at + 1
    while end < len(sections) and sections[end].level > level:
        end += 1
    return range(at, end)


def _name_all(sections: Sequence[Section]) -> tuple[str, ...]:
    named = [
        f"{s.heading[:_MAX_HEADING_CHARS]} (#{s.anchor[:_MAX_HEADING_CHARS]})"
        for s in sections
        if s.level
    ]
    rest = len(named) - MAX_LISTED_SECTIONS
    return (
        *named[:MAX_LISTED_SECTIONS],
        *([f"... and {rest:,} more"] if rest > 0 else ()),
    )
