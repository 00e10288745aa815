"""The graph of the articles as files."""

import json
from xml.etree.ElementTree import fromstring

import pytest
from support.canary import CANARY, Scanner
from support.knowledge import KnowledgeBase
from support.publishing import open_site

from asdlc_kb.site.pages.article_graph import write_dot, write_json, write_svg
from asdlc_kb.site.pages.article_pages import ArticleUrls

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def view(knowledge: KnowledgeBase) -> ArticleUrls:
    """Articles that relate and link to each other, and to hidden ones."""
    knowledge.write(
        "concepts/a",
        title='A "quoted" \\ title',
        relatedIds=f"[patterns/b, concepts/known-draft, {CANARY}-draft]",
    )
    knowledge.write("patterns/b", title="B", body="[to c](../practices/c.md)\n")
    knowledge.write("practices/c", title="C")
    view = open_site(knowledge).snapshot.articles
    assert view is not None
    return view


def test_json_and_dot_have_every_visible_article_and_relation(
    view: ArticleUrls, knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Names with a meaning in Graphviz are quoted."""
    identity = open_site(knowledge, base_url="https://kb.example.com/x").identity
    graph = json.loads(write_json(view, identity))
    edges = {(e["source"], e["target"], e["reason"]) for e in graph["edges"]}
    assert ("concepts/a", "patterns/b", "related") in edges
    assert ("patterns/b", "practices/c", "link") in edges
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert nodes["concepts/a"]["address"] == "/x/concepts/a"
    assert {end for e in edges for end in e[:2]} <= nodes.keys()
    dot = write_dot(view)
    assert r'"concepts/a" [label="A \"quoted\" \\ title"];' in dot
    assert '"patterns/b" -> "practices/c" [style=dashed];' in dot
    for text in (dot, json.dumps(graph)):
        scanner.scan(text.encode(), "graph")
        assert "known-draft" not in text


def test_the_drawing_alone_has_its_own_style(
    view: ArticleUrls, knowledge: KnowledgeBase
) -> None:
    """A file comes without a style sheet."""
    drawn = fromstring(write_svg(view, open_site(knowledge).identity))
    assert "circle" in (drawn.findtext(f"{SVG}style") or "")
    assert len(list(drawn.iter(f"{SVG}a"))) == len(view.catalog.articles)
