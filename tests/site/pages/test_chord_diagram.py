"""A diagram of relations."""

import re
from math import hypot, pi
from xml.etree.ElementTree import Element, fromstring

from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.site.pages.chord_diagram import (
    COLOURS,
    FEW,
    MAX_LINE_CHARS,
    MAX_SHORT_LINE_CHARS,
    DiagramEdge,
    DiagramNode,
    draw_diagram,
)

SVG = "{http://www.w3.org/2000/svg}"
NODES = (
    DiagramNode("a", "First", "one", "/a"),
    DiagramNode("b", "Second", "one", "/b"),
    DiagramNode("c", "Third", "two", "/c"),
)


def find_places(drawn: Element) -> list[tuple[float, float]]:
    """Return the centre of each node."""
    moves = (link[1].get("transform") or "" for link in drawn.iter(f"{SVG}a"))
    found = (map(float, re.findall(r"-?[\d.]+", move)[:2]) for move in moves)
    return [(x, y) for x, y in found]


def test_each_thing_is_a_link_with_its_whole_title() -> None:
    """A long label has several lines, none of which is cut off."""
    long = "A title that goes on for longer than one line of its label can be"
    drawn = fromstring(
        draw_diagram([*NODES, DiagramNode("d", long, "two", "/d")], (), "All")
    )
    links = list(drawn.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == ["/a", "/b", "/c", "/d"]
    labels = [[line.text or "" for line in link.iter(f"{SVG}tspan")] for link in links]
    assert labels[0] == ["First"]
    assert " ".join(labels[-1]) == long
    assert len(labels[-1]) == 4
    assert all(len(line) <= MAX_SHORT_LINE_CHARS for line in labels[-1])
    assert next(links[-1].iter(f"{SVG}title")).text == long
    assert drawn.findtext(f"{SVG}title") == "All"


def test_a_relation_is_a_bow_between_its_ends() -> None:
    """A relation to an item that is not drawn has no line either."""
    edges = (DiagramEdge("a", "c", "related"), DiagramEdge("b", "nobody", "link"))
    drawn = fromstring(draw_diagram(NODES, edges, "All"))
    (bow,) = drawn.iter(f"{SVG}path")
    assert (bow.get("data-from"), bow.get("data-to")) == ("a", "c")
    assert bow.get("class") == "edge related of-0"
    places = [link[1].get("transform") or "" for link in drawn.iter(f"{SVG}a")]
    begin, end = (re.findall(r"-?[\d.]+", places[at])[:2] for at in (0, 2))
    numbers = re.findall(r"-?[\d.]+", bow.get("d") or "")
    assert (numbers[:2], numbers[4:]) == (begin, end)


def test_groups_have_colours_which_are_used_again() -> None:
    """Things of one group are alike."""
    nodes = [DiagramNode(str(n), "x", str(n // 2), "/") for n in range(2 * COLOURS + 2)]
    drawn = fromstring(draw_diagram(nodes, (), "All"))
    colours = [(link.get("class") or "").split()[-1] for link in drawn.iter(f"{SVG}a")]
    assert colours[:4] == ["of-0", "of-0", "of-1", "of-1"]
    assert colours[-2:] == ["of-0", "of-0"]


@settings(deadline=None)
@given(st.lists(st.text(max_size=50), min_size=1, max_size=40), st.text(max_size=20))
def test_any_titles_make_a_drawing_in_its_frame(titles: list[str], group: str) -> None:
    """No part of a title is markup, and every dot is on the circle."""
    printable = ["".join(c for c in title if c.isprintable()) for title in titles]
    nodes = [DiagramNode(f"{n}{t}", t, "g", f"/{t}") for n, t in enumerate(printable)]
    edges = [DiagramEdge(nodes[0].key, node.key, "link") for node in nodes]
    drawn = fromstring(
        draw_diagram(nodes, edges, "".join(filter(str.isprintable, group)))
    )
    assert [next(a.iter(f"{SVG}title")).text or "" for a in drawn.iter(f"{SVG}a")] == (
        printable
    )
    radii = [hypot(*place) for place in find_places(drawn)]
    assert max(radii) - min(radii) < 1
    left, top, width, height = map(float, (drawn.get("viewBox") or "").split())
    assert (drawn.get("width"), drawn.get("height")) == (f"{width:g}", f"{height:g}")
    for x, y in find_places(drawn):
        assert left + 5 < x < left + width - 5
        assert top + 5 < y < top + height - 5


def test_few_nodes_fit_a_phone_with_labels_that_can_be_read() -> None:
    """A diagram of many is marked as large: the style sheet lets it be scrolled."""
    for count, size in ((6, 430), (FEW, 600), (FEW + 30, 1000)):
        nodes = [DiagramNode(str(n), "Some title", "g", "/") for n in range(count)]
        drawn = fromstring(draw_diagram(nodes, (), "All"))
        assert float(drawn.get("width") or "") < size
        assert ("large" in (drawn.get("class") or "")) == (count > FEW)


def test_many_long_labels_have_a_larger_circle() -> None:
    """So that no line is over another."""
    title = "words of a title " * 5
    nodes = [DiagramNode(str(n), title, "one", "/") for n in range(100)]
    drawn = fromstring(draw_diagram(nodes, (), "All"))
    links = list(drawn.iter(f"{SVG}a"))
    radius = hypot(*find_places(drawn)[0])
    lines = sum(1 for _ in drawn.iter(f"{SVG}tspan"))
    heights = [float(line.get("y") or "") for line in links[0].iter(f"{SVG}tspan")]
    assert 2 * pi * radius >= lines * (heights[1] - heights[0])
    _, _, width, _ = map(float, (drawn.get("viewBox") or "").split())
    assert width / 2 >= radius + MAX_LINE_CHARS * 6


def test_nodes_without_links_or_updates_have_other_shapes() -> None:
    """They differ in more than colour (WCAG 1.4.1)."""
    nodes = [
        DiagramNode("a", "A", "g", "/a", is_orphan=True),
        DiagramNode("b", "B", "g", "/b", is_stale=True),
        DiagramNode("c", "C", "g", "/c"),
    ]
    drawn = fromstring(draw_diagram(nodes, (), "All"))
    links = list(drawn.iter(f"{SVG}a"))
    assert [(link.get("class") or "").split()[2:] for link in links] == [
        ["orphan"],
        ["stale"],
        [],
    ]
    shapes = [link[1][0].tag.removeprefix(SVG) for link in links]
    assert shapes == ["circle", "rect", "circle"]
