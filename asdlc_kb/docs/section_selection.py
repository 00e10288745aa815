"""Selection of a page's sections by heading or anchor.

A section includes its subsections. Headings in code are ignored, so no fence is cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from asdlc_kb.docs.page import DocPage
from asdlc_kb.exceptions import SectionNotFound
from asdlc_kb.markup.sections import Section, split_sections

MAX_LISTED_SECTIONS: Final = 100
"""Sections listed in an error."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Selected sections of a page."""

    text: str
    """The page's title line, followed by the sections."""
    sections: tuple[Section, ...]


def choose_sections(page: DocPage, wanted: Sequence[str]) -> Excerpt:
    """Return sections of a page, in page order.

    A name is a heading's text or anchor, case-insensitive; it selects every heading
    that matches. Raises SectionNotFound if none does.
    """
    sections = split_sections(page.body)
    chosen: set[int] = set()
    for name in wanted:
        matches = [at for at, section in enumerate(sections) if _matches(section, name)]
        if not matches and _normalize(name) == _normalize(page.title):
            matches = list(range(len(sections)))
        if not matches:
            raise SectionNotFound(name, page.path, _name_all(sections))
        for at in matches:
            chosen.update(_with_subsections(sections, at))
    parts = [sections[at].markdown for at in sorted(chosen)]
    title = next((at for at, s in enumerate(sections) if s.level == 1), None)
    if not page.is_titled or title is None:
        parts.insert(0, f"# {page.title}")
    elif title not in chosen:
        lines = sections[title].markdown.split("\n")
        parts.insert(0, "\n".join(lines[: sections[title].heading_lines]))
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    return Excerpt(text, tuple(sections[at] for at in sorted(chosen)))


def _matches(section: Section, name: str) -> bool:
    wanted = _normalize(name)
    return bool(section.level) and wanted in (
        _normalize(section.heading),
        section.anchor.casefold(),
    )


def _normalize(name: str) -> str:
    return " ".join(name.lstrip("# ").split()).casefold()


def _with_subsections(sections: Sequence[Section], at: int) -> range:
    level = sections[at].level
    end = at + 1
    while end < len(sections) and sections[end].level > level:
        end += 1
    return range(at, end)


def _name_all(sections: Sequence[Section]) -> tuple[str, ...]:
    named = [f"{s.heading[:200]} (#{s.anchor[:200]})" for s in sections if s.level]
    rest = len(named) - MAX_LISTED_SECTIONS
    return (
        *named[:MAX_LISTED_SECTIONS],
        *([f"... and {rest:,} more"] if rest > 0 else ()),
    )
