"""The charts of the report."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import report, servers
from benchmarks.charts import draw_charts, write_charts
from benchmarks.stages import STAGES
from benchmarks.svg import COLORS, OTHER, OWN, Group, draw_bars, draw_stacks

_TAG = "{http://www.w3.org/2000/svg}"


def _texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [element.text or "" for element in root.iter(f"{_TAG}text")]


def _widths(svg: str) -> list[float]:
    root = ElementTree.fromstring(svg)
    return [float(box.attrib["width"]) for box in root.iter(f"{_TAG}rect")]


def test_a_bar_is_as_long_as_its_value() -> None:
    """From zero; ours has a color, and each has its value as text."""
    svg = draw_bars("Rates", [Group("", {"ours": 3_000, "A & B": 1_000})], "/s")
    own, other = _widths(svg)
    assert abs(own / other - 3) < 0.01
    assert _texts(svg) == ["Rates", "ours", "3,000 /s", "A & B", "1,000 /s"]
    assert svg.index(OWN) < svg.index(OTHER)


def test_each_group_has_its_own_scale() -> None:
    """So that the small sizes can be read, too."""
    groups = [Group("30", {"a": 1, "b": 2}), Group("300", {"a": 20, "b": 10})]
    first, second, third, fourth = _widths(draw_bars("Starts", groups, "s"))
    assert (first, second) == (fourth, third)


def test_a_stack_is_as_long_as_its_sum() -> None:
    """Parts that take nothing are left out, of the legend as well."""
    rows = {"one": {"a": 10.0, "b": 30.0, "c": 0.0}, "two": {"a": 20.0, "b": 0.0}}
    svg = draw_stacks("Parts", rows, "µs")
    widths = _widths(svg)
    assert abs(sum(widths[:2]) / widths[2] - 2) < 0.01
    assert _texts(svg) == ["Parts", "one", "40.0 µs", "two", "20.0 µs", "a", "b"]


def test_the_charts_of_a_report_are_those_of_its_facts(tmp_path: Path) -> None:
    """What was not measured is not drawn; each picture has a text for readers."""
    facts = {f"mix/rate/{server.name}/300/16": 100.0 for server in servers.ALL}
    facts |= {"startup/ours, no cache/30": 0.2, "startup/Python SDK/30": 0.5}
    facts |= {"memory/mixed/ours, no cache/30": 45, "memory/loaded/ours/30": 41}
    facts |= {f"stages/article page/{stage}": 5.0 for stage in STAGES}
    drawn = draw_charts(facts)
    names = [chart.file for chart in drawn]
    assert names == [
        "benchmarks-mix.svg",
        "benchmarks-stages.svg",
        "benchmarks-start.svg",
        "benchmarks-memory.svg",
    ]
    write_charts(drawn, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    for chart in drawn:
        ElementTree.fromstring((tmp_path / chart.file).read_text(encoding="utf-8"))
        assert re.fullmatch(r"!\[[^\[\]]{20,}\]\(\S+\.svg\)", chart.markdown)
    assert "FastMCP 4 100" in drawn[0].alt
    assert len(COLORS) >= len(STAGES)
    assert draw_charts({}) == []


def test_the_fewest_and_the_most_articles_are_drawn() -> None:
    """Sizes in between say less than they take room."""
    facts = {f"startup/ours/{count}": count / 100 for count in (300, 30, 30_000)}
    (chart,) = draw_charts(facts)
    headings = [text for text in _texts(chart.svg) if "articles" in text]
    assert headings == ["30 articles", "30,000 articles"]


def test_text_has_the_colors_of_the_theme() -> None:
    """A reader in the dark reads it as well."""
    svg = draw_bars("Rates", [Group("", {"ours": 1})], "/s")
    assert "@media(prefers-color-scheme:dark){text{fill:" in svg


def test_the_same_facts_make_the_same_charts() -> None:
    """A new run changes only what it measured."""
    facts = {"startup/ours, no cache/30": 0.2, "startup/Python SDK/30": 0.5}
    assert draw_charts(facts) == draw_charts(facts)


def test_the_report_begins_with_the_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the command that measured them."""
    monkeypatch.setattr(report, "versions", lambda: "ours 1")
    chart = draw_charts({"startup/ours, no cache/30": 0.2})[0]
    text = report.render([], [], "2 cores", 1, 1, [chart.markdown])
    assert text.rstrip().endswith(report.fill(chart.markdown))
