"""Bar charts as SVG, readable on a light and on a dark page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from benchmarks.arithmetic import figure

WIDTH: Final = 600
OWN: Final = "#2f81f7"
OTHER: Final = "#8b949e"
OWN_NAMES: Final = ("ours", "asdlc-kb")
COLORS: Final = (
    *("#2f81f7", "#3fb950", "#d29922", "#f85149", "#a371f7", "#39c5cf", "#db61a2"),
    *("#768390", "#e0823d", "#8957e5", "#6cb6ff", "#b5a642", "#9a6a4f"),
)
"""Of the parts of a bar, in their order."""

_TEXT: Final = "#6e7681"
"""Has a contrast of four to one with white and with black."""
STYLE: Final = (
    "<style>text{fill:#59636e}"
    "@media(prefers-color-scheme:dark){text{fill:#9198a1}}</style>"
)
"""Text with a contrast of six to one with the page; browsers pass on its theme."""
_RIGHT, _LINE, _BAR, _GAP = 80, 20, 14, 14
_CHARACTER: Final = 7.2
"""Mean width of a character, in the widest of the usual fonts."""


@dataclass(frozen=True)
class Group:
    """Bars on one scale, from zero, below a heading."""

    heading: str
    values: Mapping[str, float]


def draw_bars(title: str, groups: Sequence[Group], unit: str) -> str:
    """Return a bar for each value, in a colour if it is of this project's server.

    Each group has its own scale: its longest bar has the full width.
    """
    lines = [_write(0, 12, title, weight="bold")]
    y = _LINE + _GAP // 2
    left = _measure(name for group in groups for name in group.values)
    for group in groups:
        if group.heading:
            y += _LINE
            lines.append(_write(0, y - 5, group.heading))
        most = max(group.values.values())
        for name, value in group.values.items():
            color = OWN if name.startswith(OWN_NAMES) else OTHER
            width = _scale(value, most, left)
            shown = f"{figure(value)} {unit}" if unit else f"{value:g}"
            lines += _draw_row(y, left, name, [(color, width, name)], shown)
            y += _LINE
        y += _GAP
    return _wrap(title, y, lines)


def draw_stacks(title: str, rows: Mapping[str, Mapping[str, float]], unit: str) -> str:
    """Return a bar for each row, made of its parts, and a legend."""
    parts = [
        part
        for part in dict.fromkeys(part for row in rows.values() for part in row)
        if any(row.get(part) for row in rows.values())
    ]
    colors = dict(zip(parts, COLORS, strict=False))
    most = max(sum(row.values()) for row in rows.values())
    lines = [_write(0, 12, title, weight="bold")]
    y = _LINE + _GAP // 2
    left = _measure(rows)
    for name, row in rows.items():
        boxes = [
            (colors[part], _scale(value, most, left), f"{part}: {figure(value)} {unit}")
            for part, value in row.items()
            if value
        ]
        shown = f"{figure(sum(row.values()))} {unit}"
        lines += _draw_row(y, left, name, boxes, shown)
        y += _LINE
    y += _GAP
    for number, part in enumerate(parts):
        x = number % 2 * (WIDTH // 2)
        lines.append(_draw_box(x, y, 10, colors[part], part))
        lines.append(_write(x + 18, y + 11, part))
        y += _LINE * (number % 2 or number == len(parts) - 1)
    return _wrap(title, y, lines)


def _measure(names: Iterable[str]) -> int:
    """Return where bars begin, behind the longest name."""
    return round(max(map(len, names)) * _CHARACTER) + 8


def _scale(value: float, most: float, left: int) -> float:
    return round(value / most * (WIDTH - left - _RIGHT), 1) if most else 0.0


def _draw_row(
    y: int, left: int, name: str, boxes: Sequence[tuple[str, float, str]], value: str
) -> Iterator[str]:
    yield _write(left - 8, y + 12, name, anchor="end")
    x: float = left
    for color, width, label in boxes:
        yield _draw_box(x, y, width, color, label)
        x = round(x + width, 1)
    yield _write(x + 6, y + 12, value)


def _draw_box(x: float, y: int, width: float, color: str, label: str) -> str:
    return (
        f'<rect x="{x}" y="{y + 1}" width="{width}" height="{_BAR}" fill="{color}">'
        f"<title>{escape(label)}</title></rect>"
    )


def _write(
    x: float, y: int, text: str, *, anchor: str = "start", weight: str = "normal"
) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )


def _wrap(title: str, height: int, lines: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'role="img" font-family="sans-serif" font-size="12" fill="{_TEXT}">\n'
        f"<title>{escape(title)}</title>\n{STYLE}\n" + "\n".join(lines) + "\n</svg>\n"
    )
