"""Charts of the report, drawn from its facts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks import servers
from benchmarks.arithmetic import figure
from benchmarks.new_searches import WORKLOAD
from benchmarks.stages import STAGES
from benchmarks.svg import Group, draw_bars, draw_stacks

Facts = Mapping[str, float]


@dataclass(frozen=True)
class Chart:
    """A picture: its file beside the report, its alternative text, and its source."""

    file: str
    alt: str
    svg: str

    @property
    def markdown(self) -> str:
        """The picture on the page."""
        return f"![{self.alt}]({self.file})"


def draw_charts(facts: Facts) -> list[Chart]:
    """Return the charts of which the facts were measured."""
    return [
        *_draw_rates(facts, "mix", "benchmarks-mix.svg"),
        *_draw_rates(facts, WORKLOAD, "benchmarks-distinct.svg"),
        *_draw_stages(facts),
        *_draw_starts(facts),
        *_draw_memory(facts),
    ]


def write_charts(charts: list[Chart], folder: Path) -> None:
    """Write the files."""
    for chart in charts:
        (folder / chart.file).write_text(chart.svg, encoding="utf-8")


def _draw_rates(facts: Facts, workload: str, file: str) -> Iterator[Chart]:
    rates = {
        server.name: facts[key]
        for server in servers.ALL
        if (key := f"{workload}/rate/{server.name}/300/16") in facts
    }
    if not rates:
        return
    title = f"Requests a second, {workload}, 300 articles, 16 connections"
    shown = ", ".join(f"{name} {rate:,.0f}" for name, rate in rates.items())
    svg = draw_bars(title, [Group("", rates)], "/s")
    yield Chart(file, f"{title}: {shown}", svg)


def _draw_stages(facts: Facts) -> Iterator[Chart]:
    rows: dict[str, dict[str, float]] = {}
    for key, value in facts.items():
        row, _, stage = key.removeprefix("stages/").rpartition("/")
        if key.startswith("stages/") and stage in STAGES:
            rows.setdefault(row, {})[stage] = value
    if not rows:
        return
    title = "Processor time of a request by part of the server"
    sums = ", ".join(f"{n} {figure(sum(row.values()))} µs" for n, row in rows.items())
    svg = draw_stacks(title, rows, "µs")
    yield Chart("benchmarks-stages.svg", f"{title}: {sums}", svg)


def _draw_starts(facts: Facts) -> Iterator[Chart]:
    title = "Seconds from the start of the process to its first answer"
    yield from _draw_sizes(facts, "startup/", title, "s", "benchmarks-start.svg")


def _draw_memory(facts: Facts) -> Iterator[Chart]:
    title = "Resident memory after the mix"
    yield from _draw_sizes(
        facts, "memory/mixed/", title, "MiB", "benchmarks-memory.svg"
    )


def _draw_sizes(
    facts: Facts, prefix: str, title: str, unit: str, file: str
) -> Iterator[Chart]:
    """Draw each server with the fewest and with the most articles."""
    sizes: dict[int, dict[str, float]] = {}
    for key, value in facts.items():
        name, slash, count = key.removeprefix(prefix).partition("/")
        # Other facts of the row are not about a number of articles.
        if key.startswith(prefix) and slash:
            sizes.setdefault(int(count), {})[name] = value
    if not sizes:
        return
    groups = [
        Group(f"{count:,} articles", sizes[count])
        for count in sorted({min(sizes), max(sizes)})
    ]
    own = "; ".join(
        f"{group.heading}: "
        + ", ".join(
            f"{name} {figure(value)} {unit}"
            for name, value in group.values.items()
            if name.startswith("ours")
        )
        for group in groups
    )
    yield Chart(file, f"{title}. {own}", draw_bars(title, groups, unit))
