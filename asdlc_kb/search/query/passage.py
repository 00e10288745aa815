"""Choice of the part of a long text that answers a query."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from asdlc_kb.search.query.snippet import find_matches


def choose_blocks(
    text: str,
    starts: Sequence[int],
    weights: Mapping[str, float],
    max_chars: int,
    language: str = "",
) -> tuple[int, int]:
    """Return start and end of the adjacent blocks that match best.

    They have the highest weight of distinct words among those of at most `max_chars`
    characters, the first such if several have. `starts` are the offsets of the blocks,
    the first one 0; `weights` are by stem; `language` is the tag of the text's. A
    single block may be longer.
    """
    bounds = [*starts, len(text)]
    stems: list[list[str]] = [[] for _ in starts]
    at = 0
    for match in find_matches(text, weights, language):
        while match.begin >= bounds[at + 1]:
            at += 1
        stems[at].append(match.stem)
    best, chosen = -1.0, (0, 1)
    inside: Counter[str] = Counter()
    end = 0
    for begin, (first, _) in enumerate(pairwise(bounds)):
        while end < len(stems) and (
            end <= begin or bounds[end + 1] - first <= max_chars
        ):
            inside.update(stems[end])
            end += 1
        weight = sum(weights[word] for word in +inside)
        if weight > best + 1e-9:
            best, chosen = weight, (begin, end)
        inside.subtract(stems[begin])
    return bounds[chosen[0]], bounds[chosen[1]]
