"""Plot of the curves as SVG, readable on a light and on a dark page."""

from collections.abc import Iterator, Sequence
from typing import Final

from benchmarks.answers.curve import Curve, Point
from benchmarks.svg import STYLE

WIDTH: Final = 640
HEIGHT: Final = 320
MAX_CHARACTERS: Final = 8_000
"""Mean characters at the right edge; points beyond it are left out."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 16, 16, 48
_COLORS: Final = {"search_docs": "#2f81f7", "search_articles": "#d18616"}
_DASHES: Final = {"default": "", "list": ' stroke-dasharray="5 4"'}
"""The variants that are drawn."""
_GREY: Final = "#848d97"


def draw_curves(curves: Sequence[Curve]) -> str:
    """Return the share of answered queries against mean characters."""
    drawn = [curve for curve in curves if curve.variant in _DASHES]
    lines = [*_draw_axes(), *(line for curve in drawn for line in _draw(curve))]
    lines += _draw_legend(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="{_GREY}">\n{STYLE}\n'
        + "\n".join(lines)
        + "\n</svg>\n"
    )


def _x(characters: float) -> float:
    share = characters / MAX_CHARACTERS
    return round(_LEFT + share * (WIDTH - _LEFT - _RIGHT), 1)


def _y(share: float) -> float:
    return round(HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM), 1)


def _draw_axes() -> Iterator[str]:
    for percent in range(0, 101, 25):
        y = _y(percent / 100)
        yield (
            f'<path d="M{_LEFT} {y}H{WIDTH - _RIGHT}" stroke="{_GREY}" '
            'stroke-opacity=".35"/>'
        )
        yield f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{percent}%</text>'
    for characters in range(0, MAX_CHARACTERS + 1, 1_000):
        yield (
            f'<text x="{_x(characters)}" y="{HEIGHT - _BOTTOM + 18}" '
            f'text-anchor="middle">{characters:,}</text>'
        )
    yield (
        f'<text x="{(_LEFT + WIDTH - _RIGHT) / 2}" y="{HEIGHT - 8}" '
        'text-anchor="middle">characters of the first answer, mean</text>'
    )


def _draw(curve: Curve) -> Iterator[str]:
    color = _COLORS[curve.tool]
    points = _distinct(curve.points)
    path = "L".join(f"{_x(p.characters)} {_y(p.share)}" for p in points)
    yield (
        f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2"'
        f"{_DASHES[curve.variant]}/>"
    )
    for point in points:
        title = f"max_chars {point.max_chars:,}: {point.share:.0%}"
        yield (
            f'<circle cx="{_x(point.characters)}" cy="{_y(point.share)}" r="3" '
            f'fill="{color}"><title>{title}</title></circle>'
        )


def _distinct(points: Sequence[Point]) -> Sequence[Point]:
    """Return the points inside the plot, without those that repeat the one before."""
    found: list[Point] = []
    for point in points:
        if point.characters <= MAX_CHARACTERS and (
            not found or found[-1][1:] != point[1:]
        ):
            found.append(point)
    return found


def _draw_legend(curves: Sequence[Curve]) -> Iterator[str]:
    left = WIDTH - 250
    for number, curve in enumerate(curves):
        y = HEIGHT - _BOTTOM - 14 - 18 * (len(curves) - 1 - number)
        yield (
            f'<path d="M{left} {y - 4}h28" stroke="{_COLORS[curve.tool]}" '
            f'stroke-width="2"{_DASHES[curve.variant]}/>'
        )
        label = f"{curve.tool}, detail: {curve.variant}"
        yield f'<text x="{left + 36}" y="{y}">{label}</text>'
