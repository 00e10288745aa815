"""The search page, and search results as JSON for its script."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Final, NamedTuple
from urllib.parse import quote

from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.representation import JSON, Representation

MAX_PAGES: Final = 10
"""Result pages of one search; beyond that a reader changes the query."""


@dataclass(frozen=True, slots=True)
class PageResult:
    """One result."""

    title: str
    address: str
    group: str
    """The category of an article, the group of a page."""
    heading: str = ""
    snippet: tuple[str, ...] = ()
    """Plain text in parts: every second one is a match."""
    note: str = ""
    edition: str = ""
    """Version and language, if they are not the default."""

    @property
    def marked(self) -> str:
        """The snippet as HTML."""
        parts = [escape(part, quote=False) for part in self.snippet]
        parts[1::2] = [f"<mark>{part}</mark>" for part in parts[1::2]]
        return "".join(parts)


class ResultSource(NamedTuple):
    """A source that can be searched alone."""

    name: str
    """As the filter `source:` has it."""
    title: str


@dataclass(frozen=True, slots=True)
class PageResults:
    """The results of a search, best first."""

    query: str
    found: tuple[PageResult, ...] = ()
    total: int = 0
    corrected: str = ""
    """A sentence that names the corrected words."""
    suggestion: str = ""
    page: int = 1
    """The number of this page of results."""
    has_more: bool = False
    """Whether there is a next page."""
    sources: tuple[ResultSource, ...] = ()
    """Those that can be searched alone; empty if there is only one."""
    source: str = ""
    """The name of the one that was; empty for all."""
    filters: tuple[str, ...] = ()
    """The names of the filters that can narrow a search, other than `updated`."""
    unfiltered: str = ""
    """The query without its filters; empty if it has none."""
    read: str = ""
    """The public address of the page that the reader is on, if it is of another edition
    than the default one; pages of its edition come first."""
    language: str = ""
    """That of this edition."""


def paginate_results(answer: PageResults, page: int, limit: int) -> PageResults:
    """Return one page of results, with at most `limit`."""
    start, end = (page - 1) * limit, page * limit
    return replace(
        answer,
        found=answer.found[start:end],
        page=page,
        has_more=page < MAX_PAGES and len(answer.found) > end,
    )


def results_page(
    frame: PageLayout, answer: PageResults, navigation: Sequence[Link]
) -> Representation:
    """Return the search page; search engines are asked not to index it."""
    title = frame.find_texts(answer.language)("Search")

    def locate(query: str, page: int = 1, source: str = "") -> str:
        """Return the address of a page of results."""
        given = {"source": source, "read": answer.read, "page": page > 1 and str(page)}
        rest = (f"&{name}={quote(value)}" for name, value in given.items() if value)
        return f"{urls.SEARCH}?q={quote(query)}{''.join(rest)}"

    return frame.make(
        "search.html",
        locate(answer.query, answer.page, answer.source)
        if answer.query
        else urls.SEARCH,
        title=f"{title}: {answer.query}" if answer.query else title,
        navigation=navigation,
        language=answer.language,
        read=answer.read,
        answer=answer,
        link_to=locate,
    )


def results_json(frame: PageLayout, answer: PageResults) -> Representation:
    """Return results as JSON, with public addresses."""
    document = asdict(answer)
    # The script shows the best results and links to the page for the others.
    for name in ("page", "has_more", "read", "language"):
        del document[name]
    document["sources"] = [source._asdict() for source in answer.sources]
    for found in document["found"]:
        found["address"] = frame.identity.link(found["address"])
        if not found["edition"]:
            del found["edition"]
    return Representation(
        urls.RESULTS, JSON, json.dumps(document, ensure_ascii=False).encode()
    )
