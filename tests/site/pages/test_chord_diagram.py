"""A diagram of relations."""

import re
from xml.etree.ElementTree import fromstring

from hypothesis import given, settings
from hypothesis import strategies as st

from asdlc_kb.site.pages.chord_diagram import (
    COLOURS,
    MAX_LABEL_CHARS,
    RADIUS,
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


def test_each_thing_is_a_link_with_its_whole_title() -> None:
    """The label is shortened if it is long, its accessible name is not."""
    long = "A title that goes on for longer than anybody reads"
    drawn = fromstring(
        draw_diagram([*NODES, DiagramNode("d", long, "two", "/d")], (), "All")
    )
    links = list(drawn.iter(f"{SVG}a"))
    assert [link.get("href") for link in links] == ["/a", "/b", "/c", "/d"]
    labels = [next(link.iter(f"{SVG}text")).text or "" for link in links]
    assert labels[0] == "First"
    assert (labels[-1][-1], len(labels[-1]) <= MAX_LABEL_CHARS) == ("…", True)
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
    for link in drawn.iter(f"{SVG}a"):
        x, y = map(float, re.findall(r"-?[\d.]+", link[1].get("transform") or "")[:2])
        assert abs((x * x + y * y) ** 0.5 - RADIUS) < 1
