"""Segments of an index on disk, and the policy for rewriting them.

A segment is immutable and deletions are only marked, so a text leaves the files when
its segment is rewritten without it. Segments are therefore small enough to rewrite at
once, and so few that the engine, which merges eight similar ones, never merges.
"""

import errno
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.manifest import DOCUMENTS

TARGET_PARTS: Final = 4
"""Parts of an index, plus segments of later changes. More parts are faster to rewrite,
but leave fewer segments for changes."""

_MAX_DELETIONS: Final = 5
"""Attempts to delete a folder to which the engine adds a file meanwhile."""

_NAME_CHARS: Final = 32
"""Characters of a segment name."""

_MIN_SPLIT_DOCUMENTS: Final = 256
"""Minimum documents of a part: smaller ones are no faster to write."""

_MAX_RECENT_DOCUMENTS: Final = 16
"""Documents up to which recent segments are always merged."""

_MAX_SEGMENTS: Final = 7
"""Maximum number of segments: the engine would merge eight."""

_GROWTH: Final = 3
"""A part is rewritten with new documents unless it is larger by this factor: each
document is written a few times in all, and a change rewrites few others."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The metadata of a segment."""

    name: str
    """Prefix of the names of its files."""
    live: int
    """Documents that are not deleted."""
    dead: int


def read_segments(folder: Path) -> tuple[Segment, ...]:
    """Return the segments of an index, in the order of `segment_ord`.

    Raises IndexCorrupt if the list cannot be parsed.
    """
    try:
        rows = json.loads((folder / "meta.json").read_bytes())["segments"]
        return tuple(map(_read, rows))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexCorrupt("its list of segments is malformed") from error


def _read(row: Mapping[str, object]) -> Segment:
    deletes = row["deletes"]
    dead = deletes["num_deleted_docs"] if isinstance(deletes, dict) else 0
    count = row["max_doc"]
    if not (isinstance(dead, int) and isinstance(count, int)):
        raise TypeError
    return Segment(str(row["segment_id"]).replace("-", ""), count - dead, dead)


def delete_other_files(folder: Path, segments: tuple[Segment, ...]) -> None:
    """Delete the files of all other segments.

    The engine leaves them while they are read; open readers can read on.
    """
    names = {segment.name for segment in segments}
    for path in folder.iterdir():
        name = path.name.partition(".")[0]
        # The names of other files, such as the list itself, have shorter stems.
        is_segment = len(name) == _NAME_CHARS and path.suffix != DOCUMENTS
        if is_segment and name not in names:
            path.unlink(missing_ok=True)


def delete_folder(folder: Path) -> None:
    """Delete a folder of the engine's files, if there is one; raise OSError on failure.

    Each time the engine opens a folder, one of its threads loads the index once more
    and creates a lock file for that, on a busy machine as late as now.
    """
    remaining = _MAX_DELETIONS
    while folder.exists():
        remaining -= 1
        try:
            shutil.rmtree(folder)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or not remaining:
                raise


def documents_per_part(count: int) -> int:
    """Return the number of documents per part for an index of this size."""
    return max(_MIN_SPLIT_DOCUMENTS, -(-count // TARGET_PARTS))


def choose_rewritten(segments: tuple[Segment, ...], new: int) -> frozenset[str]:
    """Return the segments to rewrite together with this number of new documents."""
    if not new:
        return frozenset()
    count = new + sum(segment.live for segment in segments)
    parts = -(-new // documents_per_part(count))
    total, chosen = new, set[str]()
    for segment in sorted(segments, key=lambda segment: segment.live):
        is_small = segment.live <= _GROWTH * total
        is_due = is_small and total + segment.live <= max(
            _MAX_RECENT_DOCUMENTS, count // TARGET_PARTS
        )
        is_crowded = len(segments) - len(chosen) + parts > _MAX_SEGMENTS
        if not (is_due or is_crowded):
            break
        total += segment.live
        chosen.add(segment.name)
    return frozenset(chosen)
