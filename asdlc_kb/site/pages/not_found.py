"""The 404 page, with suggestions of similar addresses."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from heapq import nlargest
from typing import Final
from urllib.parse import unquote

from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.representation import Representation

MAX_SUGGESTIONS: Final = 5
"""Suggested titles."""

_MAX_ADDRESS_CHARS: Final = 40
"""Compared characters of an address."""
_MAX_COMPARED: Final = 100
"""Names compared in full: those with most bigrams in common."""


def make_not_found(
    frame: PageLayout, path: str, known: Iterable[Link], navigation: Sequence[Link]
) -> Representation:
    """Return the page; it never shows the address, which is untrusted input."""
    return frame.make(
        "missing.html",
        "/404",
        title=frame.find_texts()("Not found"),
        navigation=navigation,
        status=404,
        nearest=_find_nearest(path, known),
    )


def _find_nearest(path: str, known: Iterable[Link]) -> list[Link]:
    wanted = _bare(unquote(path))[:_MAX_ADDRESS_CHARS]
    if not wanted:
        return []
    by_name: dict[str, Link] = {}
    for link in known:
        by_name.setdefault(_bare(link.address), link)
        by_name.setdefault(link.title.lower(), link)
    alike = _find_alike(wanted, by_name)
    close = get_close_matches(wanted, alike, n=MAX_SUGGESTIONS * 2, cutoff=0.5)
    return list(dict.fromkeys(by_name[name] for name in close))[:MAX_SUGGESTIONS]


def _find_alike(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names with most bigrams in common; cheap for each name."""
    pairs = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    counts = ((sum(pair in name for pair in pairs), -len(name), name) for name in names)
    closest = nlargest(_MAX_COMPARED, (row for row in counts if row[0]))
    return [name for _, _, name in closest]


def _bare(where: str) -> str:
    name = where.rstrip("/").rpartition("/")[2].lower()
    return name.removesuffix(".html").removesuffix(".md")
