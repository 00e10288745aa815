"""Chord diagram as SVG: nodes on a circle, each relation a curve across it.

Nodes of one group are adjacent and share a colour. The same nodes in the same order
give the same SVG.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import cos, degrees, pi, sin
from typing import Final

from asdlc_kb.unicode.truncation import truncate

RADIUS: Final = 300.0
"""Radius of the circle of nodes."""

MAX_LABEL_CHARS: Final = 30
"""Characters of a title in a label; the node's tooltip has all of it."""

COLOURS: Final = 6
"""Number of colours; further groups reuse them."""

_MARGIN: Final = 210.0
"""Space for labels outside the circle."""
_GAP: Final = 0.6
"""Space between two groups, in units of one node."""
_PULL: Final = 0.12
"""Distance of curves from the centre, as a fraction of the radius."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A node on the circle."""

    key: str
    title: str
    group: str
    address: str


@dataclass(frozen=True, slots=True)
class DiagramEdge:
    """A relation between two nodes."""

    source: str
    target: str
    kind: str
    """A class for the style sheet."""


def draw_diagram(
    nodes: Sequence[DiagramNode], edges: Sequence[DiagramEdge], title: str
) -> str:
    """Return the diagram as SVG; colours and fonts come from a style sheet.

    Nodes of one group must be consecutive. Edges of other nodes are left out.
    """
    groups = list(dict.fromkeys(node.group for node in nodes))
    colours = {group: number % COLOURS for number, group in enumerate(groups)}
    angles = _spread(nodes, len(groups))
    colour_of = {node.key: colours[node.group] for node in nodes}
    drawn = [e for e in edges if e.source in angles and e.target in angles]
    far = RADIUS + _MARGIN
    box = f"{-far:.0f} {-far:.0f} {2 * far:.0f} {2 * far:.0f}"
    return "".join(
        (
            '<svg class="chord-diagram" xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="{box}">',
            f"<title>{escape(title)}</title><g>",
            *(_draw_edge(edge, angles, colour_of[edge.source]) for edge in drawn),
            "</g>",
            *(
                _draw_node(node, angles[node.key], colour_of[node.key])
                for node in nodes
            ),
            "</svg>",
        )
    )


def _spread(nodes: Sequence[DiagramNode], groups: int) -> Mapping[str, float]:
    """Return the angle of each node: clockwise from the top, with gaps."""
    places = len(nodes) + _GAP * groups
    return {
        key: 2 * pi * place / places - pi / 2 for key, place in _count_places(nodes)
    }


def _count_places(nodes: Sequence[DiagramNode]) -> Iterator[tuple[str, float]]:
    place, group = 0.0, None
    for node in nodes:
        if group not in (None, node.group):
            place += _GAP
        group = node.group
        yield node.key, place
        place += 1


def _draw_edge(edge: DiagramEdge, angles: Mapping[str, float], colour: int) -> str:
    begin, end = angles[edge.source], angles[edge.target]
    middle = (cos(begin) + cos(end)) / 2, (sin(begin) + sin(end)) / 2
    x, y = (RADIUS * _PULL * part for part in middle)
    path = f"M{_point(begin)}Q{x:.1f} {y:.1f} {_point(end)}"
    ends = f'data-from="{escape(edge.source)}" data-to="{escape(edge.target)}"'
    return f'<path class="edge {escape(edge.kind)} of-{colour}" {ends} d="{path}"/>'


def _draw_node(node: DiagramNode, angle: float, colour: int) -> str:
    x, y = RADIUS * cos(angle), RADIUS * sin(angle)
    is_left = cos(angle) < 0
    turn = degrees(angle) + (180 if is_left else 0)
    anchor = "end" if is_left else "start"
    shift = -12 if is_left else 12
    return (
        f'<a href="{escape(node.address)}" class="node of-{colour}" '
        f'data-key="{escape(node.key)}"><title>{escape(node.title)}</title>'
        f'<g transform="translate({x:.1f} {y:.1f}) rotate({turn:.2f})">'
        f'<circle r="5.5"/><text x="{shift}" dy="0.35em" text-anchor="{anchor}">'
        f"{escape(truncate(node.title, MAX_LABEL_CHARS))}</text></g></a>"
    )


def _point(angle: float) -> str:
    return f"{RADIUS * cos(angle):.1f} {RADIUS * sin(angle):.1f} "
