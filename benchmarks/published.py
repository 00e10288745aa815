"""Facts of the tables on pages, to draw charts without measuring again.

`python -m benchmarks.published` draws the charts of `docs/benchmarks.md` and
`docs/search.md` from the tables that stand there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.cache import ROOT
from benchmarks.charts import Chart, Facts, draw_charts, write_charts
from benchmarks.stages import STAGES
from benchmarks.svg import Group, draw_bars

DOCS: Final = ROOT / "docs"
CONNECTIONS: Final = "16"
"""Of the rates that are drawn."""

Row = Mapping[str, str]
Tables = Mapping[str, Sequence[Row]]

_TABLE = re.compile(
    r"^#+ (?P<title>.+)\n(?:(?!#|\|).*\n)*(?P<rows>(?:\|.*\n)+)", re.MULTILINE
)


def read_tables(text: str) -> Tables:
    """Return the first table below each heading: its rows, by column."""
    tables: dict[str, Sequence[Row]] = {}
    for match in _TABLE.finditer(text):
        head, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in match["rows"].splitlines()
        )
        named = [dict(zip(head, row, strict=True)) for row in rows]
        tables.setdefault(match["title"], named)
    return tables


def read_facts(text: str) -> Facts:
    """Return the facts of a report that charts are drawn of."""
    tables = read_tables(text)
    return {
        **dict(_read_rates(tables)),
        **dict(_read_stages(tables)),
        **dict(_read_starts(tables)),
        **dict(_read_memory(tables)),
    }


def draw_engines(text: str) -> Chart:
    """Return the chart of search engines on the page about search."""
    rows = read_tables(text)["Compared with other engines"]
    columns = {
        "first place": "In the first place",
        "first five": "Among the first five",
    }
    groups = [
        Group(heading, {row["engine"]: _number(row[column]) for row in rows})
        for column, heading in columns.items()
    ]
    title = "Queries of 60 that find the page that answers"
    firsts = ", ".join(f"{row['engine']} {row['first place']}" for row in rows)
    svg = draw_bars(title, groups, "")
    return Chart("search-engines.svg", f"{title}. In the first place: {firsts}", svg)


def draw_published() -> list[Chart]:
    """Return the charts of both pages."""
    report, search = (
        (DOCS / name).read_text(encoding="utf-8")
        for name in ("benchmarks.md", "search.md")
    )
    return [*draw_charts(read_facts(report)), draw_engines(search)]


def _read_rates(tables: Tables) -> Iterator[tuple[str, float]]:
    for title, rows in tables.items():
        workload, _, size = title.partition(", ")
        if size == "300 articles" and "server" in rows[0]:
            for row in rows:
                if row["connections"] == CONNECTIONS:
                    key = f"{workload}/rate/{row['server']}/300/{CONNECTIONS}"
                    yield key, _number(row["req/s"])


def _read_stages(tables: Tables) -> Iterator[tuple[str, float]]:
    for row in tables.get("Where the time of a request goes, ours, processor µs", ()):
        for kind, cell in row.items():
            if row["part"] in STAGES and kind != "part":
                yield f"stages/{kind}/{row['part']}", _number(cell)


def _read_starts(tables: Tables) -> Iterator[tuple[str, float]]:
    for row in tables.get("Start to first answer, seconds", ()):
        for count, cell in row.items():
            if count != "server":
                yield f"startup/{row['server']}/{_number(count):.0f}", _number(cell)


def _read_memory(tables: Tables) -> Iterator[tuple[str, float]]:
    for row in tables.get("Resident memory, MiB: loaded → after the mix", ()):
        for count, cell in row.items():
            if count != "server":
                name = f"{row['server']}/{_number(count):.0f}"
                loaded, mixed = cell.split(" → ")
                yield f"memory/loaded/{name}", _number(loaded)
                yield f"memory/mixed/{name}", _number(mixed)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def main() -> None:
    """Write the files, and print the pictures as Markdown."""
    drawn = draw_published()
    write_charts(drawn, DOCS)
    for chart in drawn:
        print(chart.markdown)


if __name__ == "__main__":
    main()
