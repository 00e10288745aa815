"""The search page, and the same results as JSON for the page's own script."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from re import compile
from typing import Final
from urllib.parse import quote

from asdlc_kb.site import address
from asdlc_kb.site.frame import Frame, Link
from asdlc_kb.site.page import JSON, Page

LONGEST_QUERY: Final = 2_000
_MARKED = compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class Found:
    """One result."""

    title: str
    address: str
    group: str
    """What it is listed under."""
    heading: str = ""
    snippet: str = ""
    """Plain text; matches are marked `**so**`."""
    note: str = ""

    @property
    def marked(self) -> str:
        """The snippet as HTML."""
        return _MARKED.sub(r"<mark>\1</mark>", escape(self.snippet, quote=False))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, in groups, best first."""

    query: str
    found: tuple[Found, ...] = ()
    total: int = 0
    corrected: str = ""
    """What was searched instead, in a sentence."""
    suggestion: str = ""

    @property
    def groups(self) -> tuple[tuple[str, tuple[Found, ...]], ...]:
        """The results by group, in the order of the best of each."""
        names = dict.fromkeys(found.group for found in self.found)
        return tuple(
            (name, tuple(found for found in self.found if found.group == name))
            for name in names
        )


def show(frame: Frame, answer: Answer, navigation: Sequence[Link]) -> Page:
    """Return the search page; nobody should find it in another search engine."""
    query = f"?q={quote(answer.query)}" if answer.query else ""
    return frame.make(
        "search.html",
        f"{address.SEARCH}{query}",
        title=f"Search: {answer.query}" if answer.query else "Search",
        navigation=navigation,
        answer=answer,
        link_to=lambda text: f"{address.SEARCH}?q={quote(text)}",
    )


def tell(frame: Frame, answer: Answer) -> Page:
    """Return an answer as JSON; addresses are those that a browser asks."""
    told = asdict(answer)
    for found in told["found"]:
        found["address"] = frame.identity.link(found["address"])
    return Page(address.RESULTS, JSON, json.dumps(told, ensure_ascii=False).encode())
