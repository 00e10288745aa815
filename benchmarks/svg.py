"""Bar charts as SVG, readable on a light and on a dark page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from benchmarks.arithmetic import figure

WIDTH: Final = 720
OWN: Final = "#2f81f7"
OTHER: Final = "#8b949e"
COLORS: Final = (
    *("#2f81f7", "#3fb950", "#d29922", "#f85149", "#a371f7", "#39c5cf", "#db61a2"),
    *("#768390", "#e0823d", "#8957e5", "#6cb6ff", "#b5a642", "#9a6a4f"),
)
"""Of the parts of a bar, in their order."""

_TEXT: Final = "#6e7681"
"""Has a contrast of four to one with white and with black."""
_LEFT, _RIGHT, _LINE, _BAR, _GAP = 230, 90, 20, 14, 14


@dataclass(frozen=True)
class Group:
    """Bars on one scale, from zero, below a heading."""

    heading: str
    values: Mapping[str, float]


def draw_bars(title: str, groups: Sequence[Group], unit: str) -> str:
    """Return a bar for each value; names that begin with "ours" have a colour.

    Each group has its own scale: its longest bar has the full width.
    """
    lines: list[str] = []
    y = 0
    for group in groups:
        if group.heading:
            y += _LINE
            lines.append(_write(0, y - 5, group.heading, weight="bold"))
        most = max(group.values.values())
        for name, value in group.values.items():
            color = OWN if name.startswith("ours") else OTHER
            width = _scale(value, most)
            lines += _draw_row(
                y, name, [(color, width, name)], f"{figure(value)} {unit}"
            )
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
    lines: list[str] = []
    y = 0
    for name, row in rows.items():
        boxes = [
            (colors[part], _scale(value, most), f"{part}: {figure(value)} {unit}")
            for part, value in row.items()
            if value
        ]
        lines += _draw_row(y, name, boxes, f"{figure(sum(row.values()))} {unit}")
        y += _LINE
    y += _GAP
    for number, part in enumerate(parts):
        x = number % 2 * (WIDTH // 2)
        lines.append(_draw_box(x, y, 10, colors[part], part))
        lines.append(_write(x + 18, y + 11, part))
        y += _LINE * (number % 2 or number == len(parts) - 1)
    return _wrap(title, y, lines)


def _scale(value: float, most: float) -> float:
    return round(value / most * (WIDTH - _LEFT - _RIGHT), 1) if most else 0.0


def _draw_row(
    y: int, name: str, boxes: Sequence[tuple[str, float, str]], value: str
) -> Iterator[str]:
    yield _write(_LEFT - 8, y + 12, name, anchor="end")
    x: float = _LEFT
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
        f"<title>{escape(title)}</title>\n" + "\n".join(lines) + "\n</svg>\n"
    )
