"""The 404 page, with suggestions of similar addresses."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest
from itertools import islice, takewhile
from typing import Final, TypeAlias
from urllib.parse import unquote

from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.representation import Representation

MAX_SUGGESTIONS: Final = 5
"""Suggested titles."""

_MAX_ADDRESS_CHARS: Final = 40
"""Compared characters of an address."""
_MAX_COMPARED: Final = 100
"""Names compared in full: those with most bigrams in common."""
_MIN_RATIO: Final = 0.75
"""Of suggested names: by 0.7, `routing` is similar to `nothing`."""
_MIN_PART_RATIO: Final = 0.65
"""Of a name that contains the other, as `the-spec` does `spec`."""
_NEAR_SHARE: Final = 0.2
"""What the same folder adds to the ratio of a name."""


NamePage: TypeAlias = Callable[[str], Hashable]
"""Returns what the page at an address has in common with its other editions."""


def make_not_found(
    frame: PageLayout,
    path: str,
    known: Iterable[Link],
    navigation: Sequence[Link],
    name_page: NamePage = str,
) -> Representation:
    """Return the page; it never shows the address, which is untrusted input."""
    return frame.make(
        "missing.html",
        "/404",
        title=frame.find_texts()("Not found"),
        navigation=navigation,
        status=404,
        nearest=_find_nearest(path, known, name_page),
    )


def _find_nearest(path: str, known: Iterable[Link], name_page: NamePage) -> list[Link]:
    """Return the pages below an address, or else those with similar names.

    Of pages with equally similar names, those of the same folder and language come
    first. A page is suggested once, in the nearest of its editions.
    """
    wanted = _bare(unquote(path))[:_MAX_ADDRESS_CHARS]
    if not wanted:
        return []
    by_name: dict[str, list[Link]] = {}
    below: list[Link] = []
    folder = f"{path.rstrip('/')}/"
    for link in known:
        if link.address.startswith(folder):
            below.append(link)
        for name in dict.fromkeys((_bare(link.address), link.title.lower())):
            by_name.setdefault(name, []).append(link)
    if below:
        return below[:MAX_SUGGESTIONS]
    alike = _find_alike(wanted, by_name)
    close = get_close_matches(
        wanted, alike, n=MAX_SUGGESTIONS * 2, cutoff=_MIN_PART_RATIO
    )
    folders = folder.split("/")[1:-2]
    scores: dict[Link, float] = {}
    for name in close:
        ratio = SequenceMatcher(None, name, wanted).ratio()
        if ratio < _MIN_RATIO and wanted not in name and name not in wanted:
            continue
        for link in by_name[name]:
            score = ratio + _NEAR_SHARE * _measure_nearness(link.address, folders)
            scores[link] = max(score, scores.get(link, 0.0))
    nearest: dict[Hashable, Link] = {}
    for link in sorted(scores, key=scores.__getitem__, reverse=True):
        nearest.setdefault(name_page(link.address), link)
    return list(islice(nearest.values(), MAX_SUGGESTIONS))


def _measure_nearness(address: str, folders: Sequence[str]) -> float:
    """Return the share of folders that an address begins with."""
    pairs = zip(folders, address.split("/")[1:-1], strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return same / len(folders) if folders else 0.0


def _find_alike(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names with most bigrams in common; cheap for each name."""
    pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    counts = ((sum(pair in name for pair in pairs), -len(name), name) for name in names)
    closest = nlargest(_MAX_COMPARED, (row for row in counts if row[0]))
    return [name for _, _, name in closest]


def _bare(where: str) -> str:
    name = where.rstrip("/").rpartition("/")[2].lower()
    return name.removesuffix(".html").removesuffix(".md")
