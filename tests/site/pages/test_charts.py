"""Charts as SVG: valid, to scale, described, without inline styles."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.site.pages.charts import (
    LEVELS,
    BarPart,
    ChartSeries,
    draw_bar,
    draw_calendar,
    draw_columns,
    draw_line,
    draw_range,
    find_level,
)

DAYS = [f"2026-01-{day:02}" for day in range(1, 32)]
VALUES = st.lists(st.integers(0, 10**6), min_size=31, max_size=31)


def parse(drawing: str) -> ET.Element:
    """Return a drawing; no style is inline, as the Content-Security-Policy demands."""
    assert "style=" not in drawing
    return ET.fromstring(drawing)


def numbers(root: ET.Element, name: str) -> list[float]:
    """Return an attribute of all rectangles."""
    return [float(rect.attrib[name]) for rect in root.iter("rect")]


def test_the_parts_of_a_bar_are_to_scale() -> None:
    """Relative to the largest bar, without the empty ones."""
    parts = BarPart(30, "a"), BarPart(0, "b"), BarPart(10, "c")
    root = parse(draw_bar(parts, 80))
    assert numbers(root, "x") == [0, 37.5]
    assert numbers(root, "width") == [37.5, 12.5]
    assert [rect.attrib["class"] for rect in root.iter("rect")] == ["a", "c"]
    assert root.attrib["aria-hidden"] == "true"


def test_nothing_is_no_bar() -> None:
    """There is no division by zero."""
    assert numbers(parse(draw_bar([BarPart(0, "a")], 0)), "x") == []


def test_a_range_is_on_a_logarithmic_scale() -> None:
    """Ten times as long is as far everywhere."""
    text = draw_range(1, 10, 0.1, 100)
    assert 'd="M33.33 5H66.67"' in text
    assert 'd="M50.00 5H50.00"' in draw_range(3, 3, 3, 3)


@given(VALUES, VALUES)
def test_columns_are_stacked_to_scale(first: list[int], second: list[int]) -> None:
    """Within the drawing; the highest one fills it."""
    series = ChartSeries("good", "found", first), ChartSeries("bad", "empty", second)
    root = parse(draw_columns("Searches", DAYS, series))
    heights = numbers(root, "height")
    assert len(heights) == sum(map(bool, first)) + sum(map(bool, second))
    tops = numbers(root, "y")
    assert all(-0.02 <= top <= 100 for top in tops)
    if heights:
        assert min(tops) == pytest.approx(0, abs=0.02)


def test_a_column_names_its_day_and_numbers() -> None:
    """As its tooltip."""
    series = ChartSeries("good", "found", [1, 0]), ChartSeries("<bad>", "b", [2, 0])
    root = parse(draw_columns("Searches", DAYS[:2], series))
    (tip,) = root.findall("g/title")
    assert tip.text == "2026-01-01: 1 good, 2 <bad>"


def test_a_chart_of_days_is_described_in_words() -> None:
    """By title and description, which assistive technology reads."""
    series = (ChartSeries("searches", "found", [1, 5, 2]),)
    root = parse(draw_columns("Searches per day", DAYS[:3], series))
    assert root.attrib["role"] == "img"
    texts = {each.attrib.get("id"): each.text for each in root}
    named = root.attrib["aria-labelledby"].split()
    assert [texts[name] for name in named] == [
        "Searches per day",
        "2026-01-01 to 2026-01-03. At most 5 searches, on 2026-01-02.",
    ]


def test_a_line_has_gaps_and_dots() -> None:
    """No value is drawn where none is known."""
    root = parse(draw_line("Latency", DAYS[:6], [1.0, 2.0, None, 4.0, None, None]))
    paths = [path.attrib["d"] for path in root.iter("path")]
    assert paths == ["M50.00 76.00L150.00 52.00", "M350.00 4.00L350.00 4.00"]


def test_a_calendar_has_a_column_for_each_week() -> None:
    """From Monday to Sunday: 1 January 2026 is a Thursday."""
    root = parse(draw_calendar("Requests", DAYS, range(31)))
    rects = list(root.iter("rect"))
    assert len(rects) == 31
    first, fifth = rects[0].attrib, rects[4].attrib
    assert int(fifth["x"]) - int(first["x"]) == 13
    assert int(first["y"]) - int(fifth["y"]) == 3 * 13
    assert rects[30].findtext("title") == "2026-01-31: 30"
    assert (first["class"], rects[30].attrib["class"]) == ("heat-0", f"heat-{LEVELS}")
    assert [text.text for text in root.iter("text")] == ["Mon", "Wed", "Fri", "Jan"]


def test_labels_of_months_do_not_overlap() -> None:
    """A month that begins at once after the start has the label."""
    days = ["2026-01-29", "2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02"]
    text = draw_calendar("Requests", days, [0] * 5)
    assert re.findall(r">(Jan|Feb)<", text) == ["Feb"]


@pytest.mark.parametrize(
    ("value", "level"), [(0, 0), (1, 1), (25, 1), (26, 2), (99, 4), (100, 4)]
)
def test_a_shade_is_a_share_of_the_largest(value: float, level: int) -> None:
    """Only nothing has none."""
    assert find_level(value, 100) == level
