"""Parser for the structured sections of an AGENTS.md.

AGENTS.md is free text. Two dialects define sections, and both are parsed: ACE
(`> **Project Mission:** x`, a tech stack of labelled items, boundaries in
three tiers) and asdlc.io (a block quote below the title, a table of commands,
boundaries under `ALWAYS`, `ASK FIRST` and `NEVER`, a table of personas).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from asdlc_kb.frontmatter.lenient import read_lenient
from asdlc_kb.markup import sections
from asdlc_kb.markup.plain_text import to_plain_text
from asdlc_kb.project.markdown_lines import read_items, read_prose

MAX_CHARS: Final = 64 * 1024
"""Characters of a text that is parsed; a longer one yields no sections."""

_LABEL: Final = re.compile(r"\s*\*\*([^*]{1,80}?):?\*\*:?\s*(.*)")
_TIERS: Final = {
    "always": re.compile(r"\bALWAYS\b|\btier 1\b", re.IGNORECASE),
    "ask": re.compile(r"\bASK\b|\btier 2\b", re.IGNORECASE),
    "never": re.compile(r"\bNEVER\b|\btier 3\b", re.IGNORECASE),
}
_LEAD: Final = re.compile(r"(ALWAYS|ASK(?: FIRST)?|NEVER)\b[:,]?\s*")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_RULE_CELL: Final = re.compile(r"\s*:?-+:?\s*")


class GuideSection(NamedTuple):
    """A heading and its lines up to the next heading, counted from 0."""

    level: int
    title: str
    start_line: int
    end_line: int


class Labelled(NamedTuple):
    """A labelled text: a tool of the stack, a command for an intent."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Actions an agent always takes, asks about first, and never takes."""

    always: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentsMdSections:
    """The recognized sections; absent ones are None or empty."""

    mission: str | None = None
    philosophy: str | None = None
    tech_stack: tuple[Labelled, ...] = ()
    toolchain: tuple[Labelled, ...] = ()
    """Commands by intent."""
    boundaries: Boundaries | None = None
    personas: tuple[Labelled, ...] = ()
    sections: tuple[GuideSection, ...] = ()


def read_sections(text: str) -> AgentsMdSections:
    """Parse a text of either dialect, or of none.

    Return no sections for one longer than `MAX_CHARS` characters.
    """
    if len(text) > MAX_CHARS:
        return AgentsMdSections()
    header = read_lenient(text)
    # Blank lines preserve line numbers; as Markdown, frontmatter would be a heading.
    body = "\n" * (header.first - 1) + header.body
    parts = [part for part in sections.split_sections(body) if part.level]
    quotes = list(_read_quotes(parts))
    return AgentsMdSections(
        mission=_find_label(quotes, "project mission") or _find_label(quotes, ""),
        philosophy=_find_label(quotes, "core philosophy"),
        tech_stack=tuple(_read_stack(parts)),
        toolchain=tuple(_read_tables(parts, "toolchain", "commands")),
        boundaries=_read_boundaries(parts),
        personas=tuple(_read_tables(parts, "personas")),
        sections=tuple(
            GuideSection(part.level, part.heading, part.first - 1, part.last - 1)
            for part in parts
        ),
    )


def _lines(part: sections.Section) -> list[str]:
    return [line for _, line in read_prose(part.below)]


def _below(
    parts: Sequence[sections.Section], *titles: str
) -> Iterator[sections.Section]:
    """Yield the sections with one of these titles, subsections included."""
    level = 7
    for part in parts:
        if part.level <= level:
            is_meant = any(title in part.heading.lower() for title in titles)
            level = part.level if is_meant else 7
        if level < 7:
            yield part


def _read_quotes(parts: Sequence[sections.Section]) -> Iterator[Labelled]:
    """Yield the block quotes below the title, with their labels if any."""
    for part in parts[:1]:
        label, words = "", list[str]()
        for line in [*_lines(part), ""]:
            quoted = line.lstrip()
            is_quote = quoted.startswith(">")
            bare = quoted[1:].strip() if is_quote else ""
            labelled = _LABEL.match(bare)
            if words and (labelled or not bare):
                yield Labelled(label.lower(), to_plain_text(" ".join(words)))
                label, words = "", []
            if labelled:
                label, words = labelled[1], [labelled[2]]
            elif bare and not bare.startswith("[!"):
                words.append(bare)


def _find_label(quotes: Sequence[Labelled], label: str) -> str | None:
    return next((q.text for q in quotes if q.label == label and q.text), None)


def _read_stack(parts: Sequence[sections.Section]) -> Iterator[Labelled]:
    for part in _below(parts, "tech stack", "technology"):
        for item in read_items(_lines(part)):
            label, colon, text = to_plain_text(item).partition(":")
            if colon and text.strip():
                yield Labelled(label.strip(), text.strip())


def _read_boundaries(parts: Sequence[sections.Section]) -> Boundaries | None:
    items: dict[str, list[str]] = {tier: [] for tier in _TIERS}
    chosen = list(_below(parts, "boundaries"))
    for part in chosen:
        above = _find_tier(part.heading)
        for item in read_items(_lines(part)):
            words = to_plain_text(item)
            lead = _LEAD.match(words)
            tier = above or (_find_tier(lead[1]) if lead else None)
            if tier:
                items[tier].append(words[lead.end() :] if lead else words)
    if not chosen:
        return None
    return Boundaries(*(tuple(items[tier]) for tier in ("always", "ask", "never")))


def _find_tier(words: str) -> str | None:
    return next((tier for tier, asks in _TIERS.items() if asks.search(words)), None)


def _read_tables(parts: Sequence[sections.Section], *titles: str) -> Iterator[Labelled]:
    """Yield the first two cells of each table row except the header."""
    for part in _below(parts, *titles):
        is_in_table = False
        for line in _lines(part):
            cells = _split_row(line)
            if cells and all(map(_RULE_CELL.fullmatch, cells)):
                is_in_table = True
            elif len(cells) < 2:
                is_in_table = False
            elif is_in_table:
                yield Labelled(to_plain_text(cells[0]), to_plain_text(cells[1]))


def _split_row(line: str) -> list[str]:
    stripped = line.strip()
    if not stripped.startswith("|"):
        return []
    cells = _CELLS.split(stripped.removeprefix("|").removesuffix("|"))
    return [cell.replace("\\|", "|").strip() for cell in cells]
