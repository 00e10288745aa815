"""Sections that have an identifier of the query as a word.

The index has the stems of its parts: `parse_obj` is there as the beginning of
`parse_obj_as`, and as "parsing objects".
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import tantivy

from asdlc_kb.search.analyzer import tokenize
from asdlc_kb.search.index.index_snapshot import VisibleIndex
from asdlc_kb.search.policy import QueryPolicy
from asdlc_kb.search.query.engine_query import match_adjacent
from asdlc_kb.search.query.plan import Plan
from asdlc_kb.search.query.ranking import Ranking
from asdlc_kb.search.values import IndexedSection

_MAX_SECTIONS: Final = 50
"""Sections with the parts of an identifier side by side that are read."""

_MAX_TITLES: Final = 10
"""Pages, the best ones, of which the title is read."""

_MAX_CHARS: Final = 1_000_000
"""Characters of their text, to bound the time."""

_NEAR_SHARE: Final = 0.5
"""Share of the best score below which an identifier changes nothing, unless it is the
whole query."""


class ExactIdentifiers(NamedTuple):
    """The identifiers of a query that have several parts."""

    names: tuple[str, ...]
    """In lower case."""
    pattern: re.Pattern[str]
    """One of them as a word, in lower case."""
    parts: tuple[tuple[str, ...], ...]
    is_whole: bool
    """Whether the query has no other words."""

    def are_in(self, section: IndexedSection) -> bool:
        """Whether a section has one of them as a word."""
        return self.are_in_text(f"{section.heading}\n{section.text}")

    def are_in_text(self, text: str) -> bool:
        """Whether a text has one of them as a word."""
        text = text.lower()
        # Most texts have none: this is faster than a pattern.
        has_name = any(name in text for name in self.names)
        return has_name and self.pattern.search(text) is not None


def find_exact_identifiers(plan: Plan, policy: QueryPolicy) -> ExactIdentifiers | None:
    """Return the identifiers of a query that is no long text."""
    words = {word.text for word in plan.words}
    parts = {name.lower(): tuple(tokenize(name)) for name in plan.code_names}
    names = tuple(name for name in parts if len(parts[name]) > 1)
    if not names or len(words) > policy.identifier_words:
        return None
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)"
    of_names = tuple(parts[name] for name in names)
    is_whole = words.issubset(part for name in of_names for part in name)
    return ExactIdentifiers(names, re.compile(pattern), of_names, is_whole)


def put_exact_first(
    ranking: Ranking[tantivy.DocAddress],
    exact: ExactIdentifiers,
    plan: Plan,
    scored: tantivy.Query,
    view: VisibleIndex,
) -> Ranking[tantivy.DocAddress]:
    """Return a ranking that begins with pages that have an identifier as a word.

    Their best section has it, too. `scored` is the score of sections.
    """
    rows = ranking.rows()
    share = 0.0 if exact.is_whole else _NEAR_SHARE
    sections = _find_sections(exact, plan, scored, view)
    best = {
        slot: (max(score, ranking.best.get(slot, (0.0,))[0]), address)
        for slot, (score, address) in sections.items()
        if score >= share * ranking.best.get(slot, (0.0,))[0]
    }
    having = sections.keys() | _find_titled(exact, rows[:_MAX_TITLES], view)
    first = [r for r in rows if r[1] in having and r[0] <= share * rows[0][0]]
    if not first:
        return ranking
    chosen = {slot for _, slot, _ in first}
    raised = [(rows[0][0], slot, address) for _, slot, address in first]
    others = [row for row in rows if row[1] not in chosen]
    return Ranking([*raised, *others], {**ranking.best, **best}, [])


def _find_titled(
    exact: ExactIdentifiers,
    rows: Sequence[tuple[float, int, tantivy.DocAddress | None]],
    view: VisibleIndex,
) -> set[int]:
    """Return the slots of those pages that have an identifier in the title."""
    titled = set()
    for _, slot, address in rows:
        if address is not None and exact.are_in_text(view.read_page(address).title):
            titled.add(slot)
    return titled


def _find_sections(
    exact: ExactIdentifiers, plan: Plan, scored: tantivy.Query, view: VisibleIndex
) -> Mapping[int, tuple[float, tantivy.DocAddress]]:
    """Return score and address of the best section with an identifier, by slot."""
    query = match_adjacent(scored, exact.parts, plan)
    found: dict[int, tuple[float, tantivy.DocAddress]] = {}
    hits = view.filter_visible(view.find_sections(query, _MAX_SECTIONS))
    chars = 0
    for slot, score, address in hits:
        if slot in found or chars > _MAX_CHARS:
            continue
        _, section = view.read_numbered(address)
        chars += len(section.text)
        if exact.are_in(section):
            found[slot] = score, address
    return found
