"""Charts as SVG: bars, ranges, columns, lines and a calendar of days.

Colours come from classes of the style sheet. The numbers of every chart are in a table
too: rows have bars and ranges as decoration, charts of days have a table below them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import escape
from itertools import groupby
from math import ceil, log
from typing import Final, NamedTuple

LEVELS: Final = 4
"""Shades of a heat map, besides that of zero."""

_WIDTH: Final = 600.0
"""Width of the coordinates of a chart of days, which is as wide as its figure."""
_HEIGHT: Final = 100.0
_CELL: Final = 13
"""Distance of two days in a calendar."""
_SQUARE: Final = 11
"""Width of a day in a calendar."""
_WEEKDAYS: Final = {0: "Mon", 2: "Wed", 4: "Fri"}
_LEFT: Final = 32
"""Width of the labels of weekdays."""
_TOP: Final = 18
"""Height of the labels of months."""
_MIN_WEEKS: Final = 3
"""Weeks between two labels of months."""


class BarPart(NamedTuple):
    """A part of a bar."""

    value: float
    kind: str
    """A class of the style sheet."""


class ChartSeries(NamedTuple):
    """A number for each day."""

    name: str
    kind: str
    """A class of the style sheet."""
    values: Sequence[float]


def draw_bar(parts: Iterable[BarPart], largest: float) -> str:
    """Return a horizontal bar of parts, relative to the largest bar."""
    drawn: list[str] = []
    x = 0.0
    for part in parts:
        width = 100 * part.value / largest if largest else 0.0
        if width:
            drawn.append(
                f'<rect class="{part.kind}" x="{x:.2f}" y="0" width="{width:.2f}" '
                'height="10"/>'
            )
        x += width
    return _decorate("bar-chart", "".join(drawn))


def draw_range(low: float, high: float, least: float, most: float) -> str:
    """Return a line between two values on a logarithmic scale."""
    begin, end = (100 * _place(value, least, most) for value in (low, high))
    return _decorate(
        "range-chart",
        '<path class="track" d="M0 5H100"/>'
        f'<path class="range" d="M{begin:.2f} 5H{end:.2f}"/>'
        f'<path class="range-end" d="M{begin:.2f} 1V9M{end:.2f} 1V9"/>',
    )


def draw_columns(title: str, days: Sequence[str], series: Sequence[ChartSeries]) -> str:
    """Return stacked columns, one for each day."""
    stacks = list(zip(*(each.values for each in series), strict=True))
    largest = max(map(sum, stacks), default=0)
    step = _WIDTH / max(1, len(days))
    drawn = []
    for number, values in enumerate(stacks):
        y, rects = _HEIGHT, ""
        for each, value in zip(series, values, strict=True):
            height = _HEIGHT * value / largest if largest else 0.0
            y -= height
            if height:
                rects += (
                    f'<rect class="{each.kind}" x="{(number + 0.12) * step:.2f}" '
                    f'y="{y:.2f}" width="{0.76 * step:.2f}" height="{height:.2f}"/>'
                )
        texts = (f"{v:,.0f} {s.name}" for s, v in zip(series, values, strict=True))
        tooltip = f"<title>{days[number]}: {escape(', '.join(texts))}</title>"
        drawn.append(f"<g>{tooltip}{rects}</g>" if rects else "")
    return _draw_days("column-chart", title, days, series, "".join(drawn))


def draw_line(title: str, days: Sequence[str], values: Sequence[float | None]) -> str:
    """Return a line over days, with gaps where there is no value."""
    largest = max((value for value in values if value is not None), default=0.0)
    step = _WIDTH / max(1, len(days))
    points = [
        None
        if value is None
        else f"{(at + 0.5) * step:.2f} {_HEIGHT - 0.96 * _HEIGHT * value / largest:.2f}"
        for at, value in enumerate(values)
    ]
    drawn = ""
    for has_value, group in groupby(points, lambda point: point is not None):
        if has_value:
            places = [point for point in group if point is not None]
            # A line without length is a dot, because its ends are round.
            path = "L".join(places if len(places) > 1 else places * 2)
            drawn += f'<path class="line" d="M{path}"/>'
    series = ChartSeries("ms", "line", [value or 0.0 for value in values])
    return _draw_days("line-chart", title, days, (series,), drawn)


def draw_calendar(title: str, days: Sequence[str], values: Sequence[float]) -> str:
    """Return a heat map: a column for each week, from Monday to Sunday."""
    dates = list(map(date.fromisoformat, days))
    monday = dates[0] - timedelta(days=dates[0].weekday())
    largest = max(values)
    cells, months, week = "", dict[int, str](), 0
    for day, value in zip(dates, values, strict=True):
        week, weekday = divmod((day - monday).days, 7)
        if day.day == 1 or day == dates[0]:
            months[week] = f"{day:%b}"
        cells += (
            f'<rect class="heat-{find_level(value, largest)}" '
            f'x="{_LEFT + week * _CELL}" y="{_TOP + weekday * _CELL}" '
            f'width="{_SQUARE}" height="{_SQUARE}" rx="2">'
            f"<title>{day}: {value:,.0f}</title></rect>"
        )
    labels = "".join(
        f'<text x="0" y="{_TOP + at * _CELL + 10}">{name}</text>'
        for at, name in _WEEKDAYS.items()
    ) + "".join(
        f'<text x="{_LEFT + at * _CELL}" y="11">{name}</text>'
        for at, name in _spread(months).items()
    )
    width, height = _LEFT + (week + 2) * _CELL, _TOP + 7 * _CELL
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    series = (ChartSeries("requests", "", values),)
    return _label(
        "calendar-chart", size, title, _describe(days, series), labels + cells
    )


def find_level(value: float, largest: float) -> int:
    """Return the shade of a value: 0 for nothing, `LEVELS` for the largest."""
    return ceil(LEVELS * value / largest) if value > 0 and largest else 0


def _place(value: float, least: float, most: float) -> float:
    """Return the place of a value on a logarithmic scale, from 0 to 1."""
    return log(value / least) / log(most / least) if most > least else 0.5


def _spread(labels: Mapping[int, str]) -> Mapping[int, str]:
    """Return the labels that are not too near to the next one."""
    weeks = sorted(labels)
    following = [*weeks[1:], weeks[-1] + _MIN_WEEKS]
    return {
        week: labels[week]
        for week, after in zip(weeks, following, strict=True)
        if after - week >= _MIN_WEEKS
    }


def _describe(days: Sequence[str], series: Iterable[ChartSeries]) -> str:
    """Return the period, and the peak of each series."""
    return " ".join((f"{days[0]} to {days[-1]}.", *_describe_peaks(days, series)))


def _describe_peaks(
    days: Sequence[str], series: Iterable[ChartSeries]
) -> Iterator[str]:
    for each in series:
        peak = max(each.values)
        day = days[each.values.index(peak)]
        yield f"At most {peak:,.10g} {each.name}, on {day}."


def _decorate(kind: str, drawn: str) -> str:
    """Return a drawing in the row of a table."""
    size = 'viewBox="0 0 100 10" preserveAspectRatio="none"'
    return f'<svg class="{kind}" {size} aria-hidden="true">{drawn}</svg>'


def _draw_days(
    kind: str,
    title: str,
    days: Sequence[str],
    series: Iterable[ChartSeries],
    drawn: str,
) -> str:
    size = f'viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" preserveAspectRatio="none"'
    return _label(kind, size, title, _describe(days, series), drawn)


def _label(kind: str, size: str, title: str, description: str, drawn: str) -> str:
    """Return a drawing with its title and description for assistive technology."""
    name = f"KB-{re.sub(r'[^a-z]+', '-', title.lower())}"
    return (
        f'<svg class="{kind}" {size} role="img" aria-labelledby="{name} {name}-text">'
        f'<title id="{name}">{escape(title)}</title>'
        f'<desc id="{name}-text">{escape(description)}</desc>{drawn}</svg>'
    )
