"""The page for what is not there: it names what the address may have meant."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final
from urllib.parse import unquote

from asdlc_kb.site.frame import Frame, Link
from asdlc_kb.site.page import Page

MOST: Final = 5
"""Titles that are offered."""

_LONGEST: Final = 100
"""Characters of an address that are compared."""


def make_missing(
    frame: Frame, path: str, known: Iterable[Link], navigation: Sequence[Link]
) -> Page:
    """Return the page; it never says the address, which anybody may have made."""
    return frame.make(
        "missing.html",
        "/404",
        title="Not found",
        navigation=navigation,
        status=404,
        nearest=_find_nearest(path, known),
    )


def _find_nearest(path: str, known: Iterable[Link]) -> list[Link]:
    wanted = _bare(unquote(path)[-_LONGEST:])
    by_name: dict[str, Link] = {}
    for link in known:
        by_name.setdefault(_bare(link.address), link)
        by_name.setdefault(link.title.lower(), link)
    close = get_close_matches(wanted, by_name, n=MOST * 2, cutoff=0.5) if wanted else []
    return list(dict.fromkeys(by_name[name] for name in close))[:MOST]


def _bare(where: str) -> str:
    name = where.rstrip("/").rpartition("/")[2].lower()
    return name.removesuffix(".html").removesuffix(".md")
