"""Searching everything served, for the website: as the tools do, in groups."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.library import Library as ArticleLibrary
from asdlc_kb.articles.status import Status
from asdlc_kb.docs.catalog import Catalog as DocCatalog
from asdlc_kb.docs.library import Library as DocLibrary
from asdlc_kb.search.document import Hit, Results
from asdlc_kb.search.indexer import Indexer
from asdlc_kb.site import address
from asdlc_kb.site.articles import make_title
from asdlc_kb.site.docs import DocShelf
from asdlc_kb.site.search import LONGEST_QUERY, Answer, Found
from asdlc_kb.site.site import Site

Accepts: TypeAlias = Callable[[str, bytes], bool]

WAIT_SECONDS: Final = 10.0
"""How long a search waits for an index that is being made."""


class Finder:
    """Asks each source; one whose index is not there in time has nothing to say."""

    def __init__(
        self,
        site: Site,
        articles: tuple[ArticleLibrary, Indexer] | None,
        docs: tuple[DocLibrary, Indexer] | None,
    ) -> None:
        self._site = site
        self._articles = articles
        self._docs = docs

    async def find(self, query: str, most: int) -> Answer:
        """Return what fits a query, at most so many of each source."""
        query = query.strip()[:LONGEST_QUERY]
        if not query:
            return Answer(query)
        answers = [
            await find(query, most) for find in (self._in_articles, self._in_docs)
        ]
        return Answer(
            query,
            tuple(found for answer in answers for found in answer.found),
            sum(answer.total for answer in answers),
            " ".join(dict.fromkeys(a.corrected for a in answers if a.corrected)),
            next((a.suggestion for a in answers if a.suggestion), ""),
        )

    async def _in_articles(self, query: str, most: int) -> Answer:
        if self._articles is None:
            return Answer(query)
        library, indexer = self._articles
        catalog = library.catalog
        chosen = catalog.search_first(query, None, most)
        if chosen is not None:
            found = tuple(_show_article(article) for article in chosen.articles)
            return Answer(query, found, chosen.total)
        results = await _ask(indexer, query, most, catalog.holds)
        found = tuple(_show_article(catalog.by_id[h.key], h) for h in results.hits)
        return _answer(query, found, results)

    async def _in_docs(self, query: str, most: int) -> Answer:
        if self._docs is None:
            return Answer(query)
        library, indexer = self._docs
        shelf = await asyncio.to_thread(lambda: self._site.shelves.docs)
        catalog = shelf.catalog if shelf else library.catalog
        results = await _ask(indexer, query, most, catalog.holds)
        groups = _name_groups(catalog)
        found = tuple(_show_page(shelf, groups, hit) for hit in results.hits if shelf)
        return _answer(query, found, results)


async def _ask(indexer: Indexer, query: str, most: int, accepts: Accepts) -> Results:
    try:
        return await indexer.ask(query, most, accepts=accepts, seconds=WAIT_SECONDS)
    except TimeoutError:
        return Results()


def _answer(query: str, found: Sequence[Found], results: Results) -> Answer:
    return Answer(
        query,
        tuple(found),
        results.total,
        " ".join(_tell(results)),
        results.suggestion or "",
    )


def _tell(results: Results) -> Iterator[str]:
    taken = [f"“{s}” instead of “{t}”" for t, s in results.corrected if " " not in t]
    if taken:
        yield f"Searched for {', '.join(taken)}."


def _show_article(article: Article, hit: Hit | None = None) -> Found:
    anchor = f"#{hit.anchor}" if hit and hit.anchor else ""
    return Found(
        title=article.title,
        address=address.of_article(article) + anchor,
        group=make_title(article.category),
        heading=hit.heading if hit else "",
        snippet=hit.snippet if hit else article.description,
        note="Experimental" if article.status is Status.EXPERIMENTAL else "",
    )


def _show_page(shelf: DocShelf, groups: dict[str, str], hit: Hit) -> Found:
    page = shelf.catalog.by_path[hit.key]
    anchor = f"#{hit.anchor}" if hit.anchor else ""
    return Found(
        title=page.title,
        address=shelf.addresses[page.path] + anchor,
        group=groups.get(page.path, "Documentation"),
        heading=hit.heading if hit.heading != page.title else "",
        snippet=hit.snippet,
    )


def _name_groups(catalog: DocCatalog) -> dict[str, str]:
    if len(catalog.groups) < 2:
        return {}
    return {page.path: group.title for group in catalog.groups for page in group.pages}
