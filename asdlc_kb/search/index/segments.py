"""The segments of an index on disk: what the engine's own list tells of them.

A segment is written once. What is deleted is only marked, so a text leaves the files
when the segment that holds it is written anew without it. Segments are therefore kept
of a size that can be written anew at once, and so few that the engine, which merges
eight that are alike into one, has nothing to merge.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt

SHARES: Final = 4
"""Of so many parts an index consists, besides what came since it was written. More of
them are written anew more quickly, but leave less room for what comes."""

_NAME: Final = 32
"""Characters of the name of a segment."""

_MIN_SPLIT_DOCUMENTS: Final = 256
"""Documents below which a part is not made smaller: it is written in no time."""

_MAX_RECENT_DOCUMENTS: Final = 16
"""Documents up to which what came late is always written anew together."""

_MAX_SEGMENTS: Final = 7
"""Segments at most: the engine would merge eight."""

_GROWTH: Final = 3
"""A part is written anew with what comes when it is not so many times as large: each
document is written a few times in all, and a change does not write many."""


@dataclass(frozen=True, slots=True)
class Segment:
    """What the list says of a segment."""

    name: str
    """The beginning of the names of its files."""
    live: int
    """Documents that are not deleted."""
    dead: int


def read_segments(folder: Path) -> tuple[Segment, ...]:
    """Return the segments of an index in the order in which its addresses count them.

    Raises IndexCorrupt if the list cannot be understood.
    """
    try:
        rows = json.loads((folder / "meta.json").read_bytes())["segments"]
        return tuple(map(_read, rows))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexCorrupt("its list of segments cannot be understood") from error


def _read(row: Mapping[str, object]) -> Segment:
    deletes = row["deletes"]
    dead = deletes["num_deleted_docs"] if isinstance(deletes, dict) else 0
    count = row["max_doc"]
    if not (isinstance(dead, int) and isinstance(count, int)):
        raise TypeError
    return Segment(str(row["segment_id"]).replace("-", ""), count - dead, dead)


def delete_other_files(folder: Path, segments: tuple[Segment, ...]) -> None:
    """Delete the files of all other segments.

    The engine leaves them while somebody reads them; who has them open reads on.
    """
    names = {segment.name for segment in segments}
    for path in folder.iterdir():
        name = path.name.partition(".")[0]
        # What is no segment, as the list itself, begins with something shorter.
        if len(name) == _NAME and name not in names:
            path.unlink(missing_ok=True)


def documents_per_part(count: int) -> int:
    """Return how many documents a part has in an index of so many."""
    return max(_MIN_SPLIT_DOCUMENTS, -(-count // SHARES))


def choose_rewritten(segments: tuple[Segment, ...], new: int) -> frozenset[str]:
    """Return which segments to write anew together with so many new documents."""
    if not new:
        return frozenset()
    count = new + sum(segment.live for segment in segments)
    parts = -(-new // documents_per_part(count))
    total, chosen = new, set[str]()
    for segment in sorted(segments, key=lambda one: one.live):
        is_small = segment.live <= _GROWTH * total
        is_due = is_small and total + segment.live <= max(
            _MAX_RECENT_DOCUMENTS, count // SHARES
        )
        is_crowded = len(segments) - len(chosen) + parts > _MAX_SEGMENTS
        if not (is_due or is_crowded):
            break
        total += segment.live
        chosen.add(segment.name)
    return frozenset(chosen)
