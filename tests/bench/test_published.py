"""The charts of pages, drawn from the tables that stand there."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.published import DOCS, draw_published, read_facts, read_tables
from benchmarks.report import fill
from benchmarks.svg import STYLE

CHARTS = {chart.file: chart for chart in draw_published()}
PAGES = [
    (DOCS / name).read_text(encoding="utf-8") for name in ("benchmarks.md", "search.md")
]
_TEXT = "{http://www.w3.org/2000/svg}text"


def _texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(_TEXT)]


def test_a_table_is_found_below_its_heading() -> None:
    """Text may stand between them; the first of two tables counts."""
    text = (
        "## Rates\n\nOf two servers.\n\n| server | req/s |\n|---|---:|\n"
        "| a | 1,000 |\n| b |  |\n\n### Other\n\nNothing.\n"
    )
    rows = [{"server": "a", "req/s": "1,000"}, {"server": "b", "req/s": ""}]
    assert read_tables(text) == {"Rates": rows}


def test_the_facts_of_a_report_have_the_names_of_the_benchmarks() -> None:
    """So that one function draws both."""
    text = (
        "### mix, 300 articles\n\n| connections | server | req/s |\n|---|---|---:|\n"
        "| 1 | ours | 7 |\n| 16 | ours | 19,500 |\n\n"
        "### Start to first answer, seconds\n\n| server | 30,000 |\n|---|---:|\n"
        "| ours, no cache | 4.54 |\n\n"
        "### Resident memory, MiB: loaded → after the mix\n\n| server | 30 |\n"
        "|---|---:|\n| ours, no cache | 41.3 → 45.0 |\n"
    )
    assert read_facts(text) == {
        "mix/rate/ours/300/16": 19_500,
        "startup/ours, no cache/30000": 4.54,
        "memory/loaded/ours, no cache/30": 41.3,
        "memory/mixed/ours, no cache/30": 45,
    }


def test_no_chart_is_missing_and_none_is_of_another_page() -> None:
    """Six are drawn from tables, that of answers by its own benchmark."""
    files = {path.name for path in DOCS.glob("*.svg")}
    assert {*CHARTS, "answers.svg"} == files


def test_the_first_sentence_of_the_report_has_its_figures() -> None:
    """A new run changes it."""
    goals = {row["goal"]: row["measured"] for row in read_tables(PAGES[0])["Goals"]}
    names = ("mix : Python SDK", "mix : FastMCP 4", "mix, 2026-07-28 : faster one")
    expected = [
        round(float(measured.removesuffix("x")))
        for name in names
        for goal, measured in goals.items()
        if goal.startswith(name)
    ]
    sentence = PAGES[0].partition("\n\n")[2].partition("\n\n")[0]
    assert [int(found) for found in re.findall(r"(\d+)\s+times", sentence)] == expected


@pytest.mark.parametrize("file", CHARTS)
def test_a_chart_has_the_figures_of_its_page(file: str) -> None:
    """In the picture, and in its text for readers without pictures."""
    assert _texts(CHARTS[file].svg) == _texts((DOCS / file).read_text(encoding="utf-8"))
    assert any(fill(CHARTS[file].markdown) in page for page in PAGES)


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.svg")), ids=lambda path: path.name)
def test_a_chart_can_be_read_in_both_themes(path: Path) -> None:
    """Its text has a color for each, and no element sets another."""
    svg = path.read_text(encoding="utf-8")
    assert STYLE in svg
    assert not re.search(r"<text[^>]* fill=", svg)
