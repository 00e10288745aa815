"""Page scores and section scores as one order, and the best place of each page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from asdlc_kb.search.policy import POLICY, SearchPolicy

P = TypeVar("P")


class Ranked(NamedTuple, Generic[P]):
    """A page, its score, and the places of itself and of its best section."""

    slot: int
    score: float
    place: P | None
    """None if only its sections were found."""
    section: P | None
    """None if it was not among the sections that were looked at."""


@dataclass(frozen=True, slots=True)
class Ranking(Generic[P]):
    """Every page that was found, the best first."""

    head: list[tuple[float, int, P | None]]
    """Compared in full: less than no score, slot and place of the page."""
    best: Mapping[int, tuple[float, P]]
    """Score and place of the best section by slot."""
    tail: list[tuple[int, float, P]]
    """By their page scores only."""

    def __len__(self) -> int:
        return len(self.head) + len(self.tail)

    def cut(self, start: int, end: int) -> list[Ranked[P]]:
        """Return a part of it."""
        tail = self.tail[max(start - len(self.head), 0) : max(end - len(self.head), 0)]
        # Never above what was compared in full.
        floor = -self.head[-1][0] if self.head else 0.0
        low = [Ranked(slot, min(floor, s), place, None) for slot, s, place in tail]
        none = None, None
        return [
            Ranked(slot, -score, place, self.best.get(slot, none)[1])
            for score, slot, place in self.head[start:end]
        ] + low


def merge_scores(
    pages: Sequence[tuple[int, float, P]],
    sections: Iterable[tuple[int, float, P]],
    *,
    is_strict: bool = False,
    policy: SearchPolicy = POLICY,
) -> Ranking[P]:
    """Return every page found; equal ones in order of their slots.

    Both lists come best first. If the query is strict, only its pages fit: a section
    does not know what its page lacks.
    """
    best = _group(sections, policy)
    head = {slot: (score, place) for slot, score, place in pages[: policy.fused_pages]}
    tail = pages[policy.fused_pages :]
    found: dict[int, tuple[float, P | None]] = dict(head)
    least_page = pages[len(head) - 1][1] * policy.missing if pages else 0.0
    late = {one[0]: one for one in tail if one[0] in best}
    for slot in best:
        if slot in late:
            found[slot] = late[slot][1:]
        elif not is_strict:
            found.setdefault(slot, (least_page, None))
    least = min((own for own, _ in best.values()), default=0.0) * policy.missing
    share = policy.section_share
    none = least, None
    rows = [
        (-(1 - share) * score - share * best.get(slot, none)[0], slot, place)
        for slot, (score, place) in found.items()
    ]
    # No two have one slot: places are never compared.
    rows.sort()
    return Ranking(rows, best, [one for one in tail if one[0] not in late])


def _group(
    sections: Iterable[tuple[int, float, P]], policy: SearchPolicy
) -> dict[int, tuple[float, P]]:
    """Return for each page the score of its sections together, and its best one."""
    best: dict[int, tuple[float, P]] = {}
    counts: dict[int, int] = {}
    for slot, score, place in sections:
        count = counts.get(slot, 0)
        counts[slot] = count + 1
        if not count:
            best[slot] = (score, place)
        elif count <= policy.next_sections:
            own, first = best[slot]
            best[slot] = (own + policy.next_share * score, first)
    return best
