"""The map: relations between articles."""

import json
from xml.etree.ElementTree import fromstring

import pytest
from support.canary import CANARY, Scanner
from support.knowledge import KnowledgeBase
from support.publishing import find_page, open_site

from asdlc_kb.site.pages import article_graph as maps
from asdlc_kb.site.pages.article_graph import make_map, write_dot, write_json, write_svg
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


def test_the_page_draws_and_lists_every_relation(knowledge: KnowledgeBase) -> None:
    """The list has what the drawing has, for readers with assistive technology."""
    knowledge.write("concepts/a", title="A", relatedIds="[patterns/b]")
    knowledge.write("patterns/b", title="B")
    page = find_page(open_site(knowledge), "/map").body.decode()
    assert (
        'class="edge related of-0" data-from="concepts/a" data-to="patterns/b"' in page
    )
    assert page.count('href="/patterns/b"') == 3
    assert "The " not in page.split('class="lead">')[1].split("</p>")[0][60:]


def test_a_drawing_of_many_has_those_that_are_connected_most(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More could not be read; the page says so, and the list has them all."""
    monkeypatch.setattr(maps, "MAX_ARTICLES", 2)
    knowledge.write("concepts/a", title="A", relatedIds="[concepts/b]")
    knowledge.write("concepts/b", title="B")
    knowledge.write("concepts/alone", title="Alone")
    site = open_site(knowledge)
    view = site.snapshot.articles
    assert view is not None
    shown = make_map(site.frame, view)
    assert shown is not None
    page = shown.body.decode()
    assert page.count('class="node ') == 2
    assert "Showing the 2 most connected" in page
    assert 'href="/concepts/alone"' in page


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
