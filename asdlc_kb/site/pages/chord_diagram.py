"""Chord diagram as SVG: nodes on a circle, each relation a curve across it.

Nodes of one group are adjacent and share a colour. The same nodes in the same order
give the same SVG.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, cos, degrees, floor, pi, sin
from textwrap import wrap
from typing import Final
from unicodedata import east_asian_width

RADIUS: Final = 300.0
"""Radius of the circle of many nodes, if their labels have room around it."""

MAX_LINE_CHARS: Final = 32
"""Characters of a line of a label; a longer title has several lines."""

FEW: Final = 24
"""Number of nodes up to which lines are shorter, so that a phone can show them."""
MAX_SHORT_LINE_CHARS: Final = 20

MAX_SMALL: Final = 600
"""Width and height of a small diagram; a larger one has a class for the style sheet."""

COLOURS: Final = 6
"""Number of colours; further groups reuse them."""

_LINE: Final = 15.5
"""Height of a line of a label."""
_CHARACTER: Final = 7.0
"""Width of a character of a label, at most on average; twice as much for CJK."""
_OFFSET: Final = 14.0
"""Distance of a label from the circle."""
_FEW_RADIUS: Final = 80.0
_FEW_SPACE: Final = 4.0
"""Radius of the circle of few nodes, and what it grows by with each line of a label."""
_GAP: Final = 0.6
"""Space between two groups, in lines."""
_PULL: Final = 0.12
"""Distance of curves from the centre, as a fraction of the radius."""


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """A node on the circle."""

    key: str
    title: str
    group: str
    address: str
    is_orphan: bool = False
    """Whether no edge leads to it; a class for the style sheet."""
    is_stale: bool = False
    """Whether it was not updated for long; a class, and another shape."""


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
    width = MAX_SHORT_LINE_CHARS if len(nodes) <= FEW else MAX_LINE_CHARS
    labels = {node.key: _wrap(node.title, width) for node in nodes}
    places, total = _place(nodes, labels)
    spacious = min(RADIUS, _FEW_RADIUS + total * _FEW_SPACE)
    radius = max(spacious, total * _LINE / (2 * pi))
    angles = {key: 2 * pi * place / total - pi / 2 for key, place in places.items()}
    colour_of = {node.key: colours[node.group] for node in nodes}
    drawn = [e for e in edges if e.source in angles and e.target in angles]
    left, top, width, height = _find_box(labels, angles, radius)
    size = " large" if max(width, height) > MAX_SMALL else ""
    return "".join(
        (
            f'<svg class="chord-diagram{size}" xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="{left} {top} {width} {height}" '
            f'width="{width}" height="{height}">',
            f"<title>{escape(title)}</title><g>",
            *(
                _draw_edge(edge, angles, colour_of[edge.source], radius)
                for edge in drawn
            ),
            "</g>",
            *(
                _draw_node(
                    node,
                    labels[node.key],
                    angles[node.key],
                    colour_of[node.key],
                    radius,
                )
                for node in nodes
            ),
            "</svg>",
        )
    )


def _wrap(title: str, width: int) -> tuple[str, ...]:
    """Return a title as lines, cut between words where that is possible."""
    return tuple(wrap(title, width)) or ("",)


def _measure(line: str) -> float:
    """Return the width of a line of a label, at most."""
    wide = sum(east_asian_width(character) in "WF" for character in line)
    return (len(line) + wide) * _CHARACTER


def _place(
    nodes: Sequence[DiagramNode], labels: Mapping[str, Sequence[str]]
) -> tuple[Mapping[str, float], float]:
    """Return the place of each node on the circle, and its length, in lines.

    There are gaps between groups, and the lines of a label are next to each other.
    """
    places: dict[str, float] = {}
    end, group = 0.0, None
    for node in nodes:
        if group not in (None, node.group):
            end += _GAP
        group = node.group
        lines = len(labels[node.key]) + 0.1
        places[node.key] = end + lines / 2
        end += lines
    return places, end + _GAP


def _find_box(
    labels: Mapping[str, Sequence[str]], angles: Mapping[str, float], radius: float
) -> tuple[int, int, int, int]:
    """Return left, top, width and height of the nodes with their labels."""
    across, down = [0.0], [0.0]
    for key, label in labels.items():
        room = len(label) * _LINE / 2
        for far in (radius, radius + _OFFSET + max(map(_measure, label))):
            x, y = far * cos(angles[key]), far * sin(angles[key])
            across += (x - room, x + room)
            down += (y - room, y + room)
    left, top = floor(min(across)), floor(min(down))
    return left, top, ceil(max(across)) - left, ceil(max(down)) - top


def _draw_edge(
    edge: DiagramEdge, angles: Mapping[str, float], colour: int, radius: float
) -> str:
    begin, end = angles[edge.source], angles[edge.target]
    middle = (cos(begin) + cos(end)) / 2, (sin(begin) + sin(end)) / 2
    x, y = (radius * _PULL * part for part in middle)
    path = f"M{_point(begin, radius)}Q{x:.1f} {y:.1f} {_point(end, radius)}"
    ends = f'data-from="{escape(edge.source)}" data-to="{escape(edge.target)}"'
    return f'<path class="edge {escape(edge.kind)} of-{colour}" {ends} d="{path}"/>'


def _draw_node(
    node: DiagramNode, label: Sequence[str], angle: float, colour: int, radius: float
) -> str:
    x, y = radius * cos(angle), radius * sin(angle)
    is_left = cos(angle) < 0
    turn = degrees(angle) + (180 if is_left else 0)
    anchor = "end" if is_left else "start"
    shift = -_OFFSET if is_left else _OFFSET
    first = -_LINE * (len(label) - 1) / 2
    lines = "".join(
        f'<tspan x="{shift:.0f}" y="{first + number * _LINE:.2f}" dy="0.35em">'
        f"{escape(line)}</tspan>"
        for number, line in enumerate(label)
    )
    marks = " orphan" * node.is_orphan + " stale" * node.is_stale
    square = '<rect x="-5" y="-5" width="10" height="10" rx="1.5"/>'
    shape = square if node.is_stale else '<circle r="5.5"/>'
    return (
        f'<a href="{escape(node.address)}" class="node of-{colour}{marks}" '
        f'data-key="{escape(node.key)}"><title>{escape(node.title)}</title>'
        f'<g transform="translate({x:.1f} {y:.1f}) rotate({turn:.2f})">'
        f'{shape}<text text-anchor="{anchor}">{lines}</text></g></a>'
    )


def _point(angle: float, radius: float) -> str:
    return f"{radius * cos(angle):.1f} {radius * sin(angle):.1f} "
