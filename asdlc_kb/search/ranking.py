"""Page scores and section scores as one order, and the best place of each page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from asdlc_kb.search.policy import POLICY, Policy

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Ranked(Generic[P]):
    """A page, its score, and the places of itself and of its best section."""

    slot: int
    score: float
    place: P | None
    """None if only its sections were found."""
    section: P | None
    """None if it was not among the sections that were looked at."""


def merge(
    pages: Iterable[tuple[int, float, P]],
    sections: Iterable[tuple[int, float, P]],
    *,
    is_strict: bool = False,
    policy: Policy = POLICY,
) -> list[Ranked[P]]:
    """Return every page found, the best first; equal ones in order of their slots.

    Both lists come best first. If the query is strict, only its pages fit: a section
    does not know what its page lacks.
    """
    listed = list(pages)
    best = _group(sections, policy)
    head, tail = listed[: policy.fused_pages], listed[policy.fused_pages :]
    least_page = head[-1][1] * policy.missing if head else 0.0
    least_section = min((own for own, _ in best.values()), default=0.0) * policy.missing
    share = policy.section_share
    ranked: list[Ranked[P]] = []
    for slot, score, place in head:
        own, section = best.pop(slot, (least_section, None))
        ranked.append(Ranked(slot, (1 - share) * score + share * own, place, section))
    rest = {slot: (score, place) for slot, score, place in tail}
    for slot, (own, section) in best.items():
        if slot in rest or not is_strict:
            score, found = rest.pop(slot, (least_page, None))
            score = (1 - share) * score + share * own
            ranked.append(Ranked(slot, score, found, section))
    ranked.sort(key=lambda one: (-one.score, one.slot))
    floor = ranked[-1].score if ranked else 0.0
    for slot, (score, place) in rest.items():
        # Never above what was compared in full.
        low = min(floor, (1 - share) * score + share * least_section)
        ranked.append(Ranked(slot, low, place, None))
    return ranked


def _group(
    sections: Iterable[tuple[int, float, P]], policy: Policy
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
