"""The graph of the articles as SVG, JSON and DOT, for `asdlc-kb graph`."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Final

from asdlc_kb.articles.article import Article
from asdlc_kb.site import urls
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.pages.article_pages import ArticleUrls, mark_status
from asdlc_kb.site.pages.chord_diagram import DiagramEdge, DiagramNode, draw_diagram

MAX_ARTICLES: Final = 120
"""Articles in the diagram: those with the most relations."""

_STYLE: Final = (
    "text{font:12px sans-serif;fill:#1b1e22}.edge{fill:none;stroke:#9aa3a8;"
    "stroke-opacity:.45}circle{fill:#565d66}.of-0 circle{fill:#0b6b6b}.of-1 circle"
    "{fill:#27579a}.of-2 circle{fill:#8a2d78}.of-3 circle{fill:#2b6a35}.of-4 circle"
    "{fill:#6b3fa0}.of-5 circle{fill:#a52a2a}"
)
"""Styles of a standalone diagram."""


def write_svg(view: ArticleUrls, identity: SiteIdentity) -> str:
    """Return the diagram as a standalone SVG file."""
    drawing = _draw(view, identity, _choose(view))
    return drawing.replace("<title>", f"<style>{_STYLE}</style><title>", 1)


def write_json(view: ArticleUrls, identity: SiteIdentity) -> str:
    """Return articles and relations as JSON."""
    graph = {
        "nodes": [
            {
                "id": article.id,
                "title": article.title,
                "category": article.category,
                "address": identity.link(urls.of_article(article)),
            }
            for article in view.catalog.articles
        ],
        "edges": [
            {"source": r.source, "target": r.target, "reason": r.reason}
            for r in view.relations.all
        ],
    }
    return json.dumps(graph, ensure_ascii=False, indent=2)


def write_dot(view: ArticleUrls) -> str:
    """Return articles and relations in Graphviz's DOT language."""
    nodes = (
        f"  {_quote(article.id)} [label={_quote(article.title)}];"
        for article in view.catalog.articles
    )
    edges = (
        f"  {_quote(r.source)} -> {_quote(r.target)}"
        f"{' [style=dashed]' if r.reason == 'link' else ''};"
        for r in view.relations.all
    )
    return "\n".join(("digraph {", "  node [shape=box];", *nodes, *edges, "}"))


def _choose(view: ArticleUrls) -> Sequence[Article]:
    """Return the articles of the diagram, by category and title."""
    ends = (end for r in view.relations.all for end in (r.source, r.target))
    degree = Counter(ends)
    articles = sorted(view.catalog.articles, key=lambda a: -degree[a.id])[:MAX_ARTICLES]
    order = list(view.catalog.categories)
    return sorted(articles, key=lambda a: (order.index(a.category), a.title.casefold()))


def _draw(
    view: ArticleUrls, identity: SiteIdentity, articles: Sequence[Article]
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
    edges = [DiagramEdge(r.source, r.target, r.reason) for r in view.relations.all]
    return draw_diagram(nodes, edges, "How the articles relate")


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
