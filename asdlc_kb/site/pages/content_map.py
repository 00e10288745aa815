"""The map: a diagram of the links between articles and pages, and the same as a list.

Of documentation, the listed pages of default editions are on it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import Link, PageLayout
from asdlc_kb.site.layout.paging import number_parts, paginate
from asdlc_kb.site.pages.article_pages import ArticleUrls, mark_status
from asdlc_kb.site.pages.chord_diagram import (
    COLOURS,
    DiagramEdge,
    DiagramNode,
    draw_diagram,
)
from asdlc_kb.site.pages.doc_urls import DocUrls
from asdlc_kb.site.pages.page_links import (
    MAX_READ_PAGES,
    PageLinkReader,
    list_pages,
    page_key,
)
from asdlc_kb.site.pages.relations import Relation
from asdlc_kb.site.representation import Representation

MAX_DRAWN: Final = 120
"""Articles and pages in the diagram: those with the most links."""
STALE_AFTER: Final = timedelta(days=365)
"""Time without an update after which an article or page is stale."""


class MapEntry(NamedTuple):
    """An article or a page on the map."""

    key: str
    title: str
    group: Link
    """Its category, or its tree of documentation."""
    address: str
    date: str
    """Of its last update; empty if it is unknown."""
    is_no_orphan: bool = False
    """Whether it needs no link to it, as a start page, or not all links are known."""


class MapRow(NamedTuple):
    """An entry in the list."""

    entry: MapEntry
    targets: tuple[MapEntry, ...]
    is_orphan: bool
    """Whether no other links to it."""
    is_stale: bool


@dataclass(frozen=True, slots=True)
class ContentMap:
    """Renders the map. Blocks: use it in a thread."""

    frame: PageLayout
    reader: PageLinkReader = field(default_factory=PageLinkReader)
    today: Callable[[], date] = lambda: datetime.now(UTC).date()

    def page(
        self,
        articles: ArticleUrls | None,
        docs: DocUrls | None,
        navigation: Sequence[Link],
        number: int = 1,
    ) -> Representation:
        """Return a page of the list; the first has the diagram."""
        text = self.frame.find_texts()
        stale_before = (self.today() - STALE_AFTER).isoformat()
        links = tuple(self._list_links(articles, docs))
        rows = _list_rows(_list_entries(articles, docs), links, stale_before)
        part = paginate(rows, urls.MAP, number)
        drawn = _choose(rows, links) if number == 1 else ()
        groups = dict.fromkeys(row.entry.group for row in drawn)
        return self.frame.make(
            "map.html",
            part.path,
            title=part.page_title(text("Map"), text),
            description=text("Lines connect pages that link to each other."),
            navigation=navigation,
            drawing=self._draw(drawn, links) if drawn else "",
            shown=len(drawn),
            groups=[(link, place % COLOURS) for place, link in enumerate(groups)],
            has_orphans=any(row.is_orphan for row in drawn),
            has_stale=any(row.is_stale for row in drawn),
            stale_before=stale_before,
            part=part,
            names=_group(part.entries),
        )

    def _list_links(
        self, articles: ArticleUrls | None, docs: DocUrls | None
    ) -> Iterator[Relation]:
        if articles is not None:
            yield from articles.relations.all
        if docs is not None:
            catalog = articles.catalog if articles is not None else None
            yield from self.reader.read(docs.catalog, catalog)

    def _draw(self, rows: Sequence[MapRow], links: Sequence[Relation]) -> str:
        nodes = [
            DiagramNode(
                row.entry.key,
                row.entry.title,
                row.entry.group.address,
                self.frame.identity.link(row.entry.address),
                row.is_orphan,
                row.is_stale,
            )
            for row in rows
        ]
        edges = [DiagramEdge(link.source, link.target, link.reason) for link in links]
        title = self.frame.find_texts()("Lines connect pages that link to each other.")
        return draw_diagram(nodes, edges, title)


def number_map(articles: ArticleUrls | None, docs: DocUrls | None) -> Mapping[str, int]:
    """Return the number of each page of the map, by address."""
    total = len(articles.by_address) if articles is not None else 0
    if docs is not None:
        total += len(list_pages(docs.catalog))
    return number_parts(urls.MAP, total)


def _list_entries(
    articles: ArticleUrls | None, docs: DocUrls | None
) -> Iterator[MapEntry]:
    """Yield the articles by category, then the pages in the order of the sidebar."""
    for category in articles.categories if articles is not None else ():
        group = Link(category.address, category.title)
        for article in category.articles:
            title = f"{article.title}{mark_status(article)}"
            where = urls.of_article(article)
            yield MapEntry(article.id, title, group, where, article.last_updated)
    if docs is not None:
        home = docs.home
        pages = list_pages(docs.catalog)
        is_read = len(pages) <= MAX_READ_PAGES
        for page in pages:
            source = page.edition.source
            where = docs.addresses[page.path]
            yield MapEntry(
                page_key(page.path),
                page.title,
                Link(
                    f"{urls.DOCS}#{source}" if source else urls.DOCS, source or "Docs"
                ),
                where,
                docs.dates.find(page),
                where == home or not is_read,
            )


def _list_rows(
    entries: Iterable[MapEntry], links: Iterable[Relation], stale_before: str
) -> list[MapRow]:
    by_key = {entry.key: entry for entry in entries}
    targets: dict[str, list[MapEntry]] = {}
    linked: set[str] = set()
    for link in links:
        if link.source in by_key and link.target in by_key:
            targets.setdefault(link.source, []).append(by_key[link.target])
            linked.add(link.target)
    return [
        MapRow(
            entry,
            tuple(targets.get(key, ())),
            not (key in linked or entry.is_no_orphan),
            bool(entry.date) and entry.date < stale_before,
        )
        for key, entry in by_key.items()
    ]


def _choose(rows: Sequence[MapRow], links: Iterable[Relation]) -> Sequence[MapRow]:
    """Return the rows of the diagram, by group and title."""
    degree = Counter(end for link in links for end in (link.source, link.target))
    most = sorted(rows, key=lambda row: -degree[row.entry.key])[:MAX_DRAWN]
    order = [*dict.fromkeys(row.entry.group for row in rows)]
    return sorted(
        most, key=lambda row: (order.index(row.entry.group), row.entry.title.casefold())
    )


def _group(rows: Iterable[MapRow]) -> list[tuple[str, list[MapRow]]]:
    """Return rows grouped by the titles of their groups."""
    groups: dict[str, list[MapRow]] = {}
    for row in rows:
        groups.setdefault(row.entry.group.title, []).append(row)
    return [*groups.items()]
