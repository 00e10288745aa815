"""The map: how articles relate, as a drawing, as a list, and for other programs."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import PageLayout, SiteIdentity
from asdlc_kb.site.layout.paging import paginate
from asdlc_kb.site.pages.article_pages import ArticleUrls, make_title, mark_status
from asdlc_kb.site.pages.chord_diagram import DiagramEdge, DiagramNode, draw_diagram
from asdlc_kb.site.representation import Representation

GraphRow: TypeAlias = tuple[Article, tuple[Article, ...]]
"""An article and those that it names."""

MAX_ARTICLES: Final = 120
"""Articles in the drawing: those that most others name or are named by."""

_STYLE: Final = (
    "text{font:12px sans-serif;fill:#1b1e22}.edge{fill:none;stroke:#9aa3a8;"
    "stroke-opacity:.45}circle{fill:#565d66}.of-0 circle{fill:#0b6b6b}.of-1 circle"
    "{fill:#27579a}.of-2 circle{fill:#96470b}.of-3 circle{fill:#8a2d78}.of-4 circle"
    "{fill:#2b6a35}.of-5 circle{fill:#a52a2a}"
)
"""For a drawing that stands alone."""


def make_map(
    frame: PageLayout, shelf: ArticleUrls, number: int = 1
) -> Representation | None:
    """Return the page with a part of the list; the first has the drawing. Blocks."""
    part = paginate(_list_names(shelf), urls.MAP, number)
    if part is None:
        return None
    chosen = _choose(shelf) if number == 1 else ()
    return frame.make(
        "map.html",
        part.path,
        title=part.entitle("Map"),
        description="How the articles relate to each other",
        navigation=shelf.navigation,
        mark=mark_status,
        drawing=_draw(shelf, frame.identity, chosen) if chosen else "",
        is_whole=len(chosen) == part.total,
        shown=len(chosen),
        categories=shelf.categories,
        part=part,
        names=_group(part.entries),
    )


def write_svg(shelf: ArticleUrls, identity: SiteIdentity) -> str:
    """Return the drawing as a file that stands alone."""
    drawing = _draw(shelf, identity, _choose(shelf))
    return drawing.replace("<title>", f"<style>{_STYLE}</style><title>", 1)


def write_json(shelf: ArticleUrls, identity: SiteIdentity) -> str:
    """Return articles and relations as JSON."""
    told = {
        "nodes": [
            {
                "id": article.id,
                "title": article.title,
                "category": article.category,
                "address": identity.link(urls.of_article(article)),
            }
            for article in shelf.catalog.articles
        ],
        "edges": [
            {"source": r.source, "target": r.target, "reason": r.reason}
            for r in shelf.relations.all
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2)


def write_dot(shelf: ArticleUrls) -> str:
    """Return articles and relations for Graphviz."""
    nodes = (
        f"  {_quote(article.id)} [label={_quote(article.title)}];"
        for article in shelf.catalog.articles
    )
    edges = (
        f"  {_quote(r.source)} -> {_quote(r.target)}"
        f"{' [style=dashed]' if r.reason == 'link' else ''};"
        for r in shelf.relations.all
    )
    return "\n".join(("digraph {", "  node [shape=box];", *nodes, *edges, "}"))


def _choose(shelf: ArticleUrls) -> Sequence[Article]:
    """Return the articles of the drawing: by category, in each by title."""
    ends = (end for r in shelf.relations.all for end in (r.source, r.target))
    degree = Counter(ends)
    articles = sorted(shelf.catalog.articles, key=lambda a: -degree[a.id])[
        :MAX_ARTICLES
    ]
    order = list(shelf.catalog.categories)
    return sorted(articles, key=lambda a: (order.index(a.category), a.title.casefold()))


def _draw(
    shelf: ArticleUrls, identity: SiteIdentity, articles: Sequence[Article]
) -> str:
    nodes = [
        DiagramNode(
            a.id,
            f"{a.title}{mark_status(a)}",
            a.category,
            identity.link(urls.of_article(a)),
        )
        for a in articles
    ]
    edges = [DiagramEdge(r.source, r.target, r.reason) for r in shelf.relations.all]
    return draw_diagram(nodes, edges, "How the articles relate")


def _list_names(shelf: ArticleUrls) -> list[GraphRow]:
    """Return each article with what it names, by category."""
    by_id = shelf.catalog.by_id
    named: dict[str, list[Article]] = {}
    for relation in shelf.relations.all:
        named.setdefault(relation.source, []).append(by_id[relation.target])
    return [
        (article, tuple(named.get(article.id, ())))
        for category in shelf.categories
        for article in category.articles
    ]


def _group(rows: Iterable[GraphRow]) -> list[tuple[str, list[GraphRow]]]:
    """Return rows below the titles of their categories."""
    groups: dict[str, list[GraphRow]] = {}
    for row in rows:
        groups.setdefault(row[0].category, []).append(row)
    return [(make_title(category), listed) for category, listed in groups.items()]


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
