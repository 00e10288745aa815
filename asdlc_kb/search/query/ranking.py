"""Score fusion of pages and sections into one ranking."""

from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from dataclasses import dataclass
from itertools import islice
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from asdlc_kb.search.policy import QUERY_POLICY, QueryPolicy

P = TypeVar("P")

Row: TypeAlias = tuple[float, int, P | None]
"""Negated score, slot and address of a page."""

ReadEdition: TypeAlias = Callable[[int], tuple[Hashable, str, bool]]
"""Returns what a page, by its slot, and its other editions have in common, its version,
and whether it is the default edition."""


class Ranked(NamedTuple, Generic[P]):
    """A ranked page, with its address and that of its best section."""

    slot: int
    score: float
    address: P | None
    """None if only sections matched."""
    section: P | None
    """None if no section is among the merged ones."""


@dataclass(frozen=True, slots=True)
class Ranking(Generic[P]):
    """All matching pages, best first."""

    head: list[tuple[float, int, P | None]]
    """Merged pages: negated score, slot and address, which is in no comparison as slots
    are unique."""
    best: Mapping[int, tuple[float, P]]
    """Score and address of the best section by slot."""
    tail: list[tuple[int, float, P]]
    """Pages ranked by page score only."""

    def __len__(self) -> int:
        return len(self.head) + len(self.tail)

    def rows(self) -> list[tuple[float, int, P | None]]:
        """Return all pages as those of the head, best first."""
        return [*self._iterate()]

    def cut(self, start: int, end: int) -> list[Ranked[P]]:
        """Return a slice of the ranking."""
        missing = None, None
        return [
            Ranked(slot, -score, address, self.best.get(slot, missing)[1])
            for score, slot, address in islice(self._iterate(), start, end)
        ]

    def _iterate(self) -> Iterator[tuple[float, int, P | None]]:
        yield from self.head
        # No page of the tail is above the last one of the head.
        lowest = -self.head[-1][0] if self.head else 0.0
        for slot, score, address in self.tail:
            yield -min(lowest, score), slot, address


def merge_scores(
    pages: Sequence[tuple[int, float, P]],
    sections: Iterable[tuple[int, float, P]],
    *,
    is_strict: bool = False,
    policy: QueryPolicy = QUERY_POLICY,
) -> Ranking[P]:
    """Merge both lists, each best first; ties are in order of slots.

    If the query is strict, only listed pages match: conditions are on pages, not on
    sections.
    """
    best = _combine_sections(sections, policy)
    head = {
        slot: (score, address) for slot, score, address in pages[: policy.fused_pages]
    }
    tail = pages[policy.fused_pages :]
    scores: dict[int, tuple[float, P | None]] = dict(head)
    default_page = pages[len(head) - 1][1] * policy.missing if pages else 0.0
    in_sections = [row for row in tail if row[0] in best]
    scores.update((slot, (score, address)) for slot, score, address in in_sections)
    if not is_strict:
        for slot in best:
            scores.setdefault(slot, (default_page, None))
    default_section = (
        min((own for own, _ in best.values()), default=0.0) * policy.missing
    )
    share = policy.section_share
    missing = default_section, None
    rows = [
        (-(1 - share) * score - share * best.get(slot, missing)[0], slot, address)
        for slot, (score, address) in scores.items()
    ]
    rows.sort()
    if in_sections:
        tail = [row for row in tail if row[0] not in best]
    # Which pages have a section among the merged ones is by chance where scores tie.
    most = max(0, policy.max_ranked - len(rows))
    return Ranking(rows[: policy.max_ranked], best, list(tail[:most]))


def merge_rankings(
    primary: Ranking[P],
    secondary: Ranking[P],
    policy: QueryPolicy,
    read_edition: ReadEdition | None = None,
) -> Ranking[P]:
    """Merge the ranking of secondary documents into that of the others.

    With `read_edition`, a secondary document is left out if it is a translation of one
    of the others, behind another version, and if its default edition is secondary too.
    """
    others = secondary.rows()
    lowered = [
        (policy.secondary_share * s, slot, address) for s, slot, address in others
    ]
    rows = [*primary.rows(), *lowered]
    rows.sort()
    if read_edition is not None:
        secondary_slots = {slot for _, slot, _ in others}
        rows = list(_drop_repetitions(rows, secondary_slots, read_edition))
    return Ranking(rows[: policy.max_ranked], {**secondary.best, **primary.best}, [])


def _drop_repetitions(
    rows: Sequence[Row[P]], secondary: Set[int], read_edition: ReadEdition
) -> Iterator[Row[P]]:
    editions = {slot: read_edition(slot) for _, slot, _ in rows}
    # Words of two languages have more stems in common with a query than those of one.
    translated = {editions[slot][:2] for slot in editions.keys() - secondary}
    defaults = {editions[slot][0] for slot in secondary if editions[slot][2]}
    seen = set()
    for row in rows:
        name, version, is_default = editions[row[1]]
        is_repeated = name in seen or (name in defaults and not is_default)
        if row[1] in secondary and (is_repeated or (name, version) in translated):
            continue
        seen.add(name)
        yield row


def demote_pages(
    ranking: Ranking[P],
    is_demoted: Callable[[int], bool],
    policy: QueryPolicy,
) -> Ranking[P]:
    """Return a ranking in which some pages, by their slot, have a lower score.

    Only the first `fused_pages` are asked about: no others come near the first ones.
    """
    first = ranking.head[: policy.fused_pages]
    demoted = {slot for _, slot, _ in first if is_demoted(slot)}
    if not demoted:
        return ranking
    lowered = [
        (score * policy.demoted_share if slot in demoted else score, slot, address)
        for score, slot, address in ranking.rows()
    ]
    lowered.sort()
    return Ranking(lowered, ranking.best, [])


def put_first(ranking: Ranking[P], named: tuple[int, P]) -> Ranking[P]:
    """Return a ranking that begins with a page, with the best score or above."""
    slot, address = named
    rows = ranking.rows()
    best = rows[0][0] if rows else -1.0
    others = [row for row in rows if row[1] != slot]
    return Ranking([(best, slot, address), *others], ranking.best, [])


def put_matches_first(ranking: Ranking[P], matches: Mapping[int, int]) -> Ranking[P]:
    """Return a ranking in which the pages with the highest match, by slot, are first.

    Pages with equal matches keep their order and scores.
    """
    rows = ranking.rows()
    if not any(row[1] in matches for row in rows):
        return ranking
    rows.sort(key=lambda row: -matches.get(row[1], 0))
    return Ranking(rows, ranking.best, [])


def put_last(ranking: Ranking[P], is_last: Callable[[int], bool]) -> Ranking[P]:
    """Return a ranking with some pages, by their slot, behind all others."""
    rows = ranking.rows()
    last = [row for row in rows if is_last(row[1])]
    if not last:
        return ranking
    first = [row for row in rows if not is_last(row[1])]
    worst = first[-1][0] if first else last[0][0]
    moved = [(max(worst, score), slot, address) for score, slot, address in last]
    return Ranking([*first, *moved], ranking.best, [])


def _combine_sections(
    sections: Iterable[tuple[int, float, P]], policy: QueryPolicy
) -> dict[int, tuple[float, P]]:
    """Return the combined section score and the best section of each page."""
    best: dict[int, tuple[float, P]] = {}
    counts: dict[int, int] = {}
    for slot, score, address in sections:
        count = counts.get(slot, 0)
        counts[slot] = count + 1
        if not count:
            best[slot] = (score, address)
        elif count <= policy.next_sections:
            own, first = best[slot]
            best[slot] = (own + policy.next_share * score, first)
    return best
