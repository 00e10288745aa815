"""The search page, and the same results as JSON for the page's own script."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from re import compile
from typing import Final
from urllib.parse import quote

from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.representation import JSON, Representation

MAX_QUERY_CHARS: Final = 2_000
MAX_PAGES: Final = 10
"""Pages of one search: who has read so many results asks for something else."""
_MARKED = compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True, slots=True)
class PageResult:
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
class PageResults:
    """What a search found, in groups, best first."""

    query: str
    found: tuple[PageResult, ...] = ()
    total: int = 0
    corrected: str = ""
    """What was searched instead, in a sentence."""
    suggestion: str = ""
    page: int = 1
    """Which part of the results this is."""
    has_more: bool = False
    """Whether there is a next one."""

    @property
    def groups(self) -> tuple[tuple[str, tuple[PageResult, ...]], ...]:
        """The results by group, in the order of the best of each."""
        names = dict.fromkeys(found.group for found in self.found)
        return tuple(
            (name, tuple(found for found in self.found if found.group == name))
            for name in names
        )


def paginate_results(answer: PageResults, page: int, most: int) -> PageResults:
    """Return a page of an answer with so many results of each source a page."""
    start, end = (page - 1) * most, page * most
    sources: tuple[list[PageResult], list[PageResult]] = ([], [])
    for found in answer.found:
        sources[found.address.startswith(urls.DOCS)].append(found)
    return replace(
        answer,
        found=tuple(found for source in sources for found in source[start:end]),
        page=page,
        has_more=page < MAX_PAGES and any(len(source) > end for source in sources),
    )


def results_page(
    frame: PageLayout, answer: PageResults, navigation: Sequence[Link]
) -> Representation:
    """Return the search page; nobody should find it in another search engine."""
    return frame.make(
        "search.html",
        _locate(answer.query, answer.page) if answer.query else urls.SEARCH,
        title=f"Search: {answer.query}" if answer.query else "Search",
        navigation=navigation,
        answer=answer,
        link_to=_locate,
    )


def _locate(query: str, page: int = 1) -> str:
    """Return where a page of the results of a query is."""
    number = f"&page={page}" if page > 1 else ""
    return f"{urls.SEARCH}?q={quote(query)}{number}"


def results_json(frame: PageLayout, answer: PageResults) -> Representation:
    """Return an answer as JSON; addresses are those that a browser asks."""
    told = asdict(answer)
    # The script shows the best, and leads to the page for the others.
    del told["page"], told["has_more"]
    for found in told["found"]:
        found["address"] = frame.identity.link(found["address"])
    return Representation(
        urls.RESULTS, JSON, json.dumps(told, ensure_ascii=False).encode()
    )
