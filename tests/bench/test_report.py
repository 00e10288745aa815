"""Arithmetic of the benchmarks' report."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks import goals, report, servers
from benchmarks.__main__ import main
from benchmarks.arithmetic import figure, percentile, ratio
from benchmarks.bench import Section
from benchmarks.goals import GOALS, Goal
from benchmarks.load import Load
from benchmarks.servers import Cores
from benchmarks.throughput import tabulate

ROOT = Path(__file__).parents[2]


def test_a_ratio_is_the_median_of_the_rounds_ratios() -> None:
    """Not the ratio of medians: a round that was slow for both counts equally."""
    assert ratio([10, 100, 30], [10, 200, 10]) == 1
    assert ratio([8], [2]) == 4


@pytest.mark.parametrize(
    ("share", "expected"), [(0.5, 2), (0.75, 3), (0.95, 4), (1, 4), (0.01, 1)]
)
def test_a_percentile_is_a_value_that_was_seen(share: float, expected: float) -> None:
    """The smallest one that so many do not exceed."""
    assert percentile([4, 1, 3, 2], share) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.128, "0.13"), (9.96, "9.96"), (12.34, "12.3"), (1234.5, "1,234")],
)
def test_a_figure_has_the_digits_that_count(value: float, text: str) -> None:
    """More digits would suggest a precision that is not there."""
    assert figure(value) == text


@pytest.mark.parametrize(
    ("sign", "facts", "measured", "met"),
    [
        ("≥", {"a": 2.0, "b": 3.0}, "2.00x", "yes"),
        ("≥", {"a": 1.99, "b": 3.0}, "1.99x", "**no**"),
        ("≤", {"a": 2.0, "b": 1.0}, "2.00x", "yes"),
        ("≤", {"a": 2.01, "b": 1.0}, "2.01x", "**no**"),
        ("≤", {"a": 1.0}, "", "not measured"),
    ],
)
def test_a_goal_is_judged_by_its_worst_fact(
    sign: str, facts: dict[str, float], measured: str, met: str
) -> None:
    """The bound itself is good enough; an unmeasured fact is not met."""
    goal = Goal("it", sign, 2, "x", ("a", "b"))
    assert goal.evaluate(facts) == (f"it {sign} 2x", measured, met)


def test_every_goal_is_in_the_table_in_any_run() -> None:
    """A run of some rows does not hide what it left out."""
    table = goals.section({})
    assert len(table.rows) == len(GOALS)
    assert {row[2] for row in table.rows} == {"not measured"}


def test_the_server_has_a_core_of_its_own_where_there_are_two() -> None:
    """The load generator takes the others."""
    assert Cores.split(frozenset({0, 1, 2})) == Cores(frozenset({2}), frozenset({0, 1}))
    assert Cores.split(frozenset({5})) == Cores(frozenset({5}), frozenset({5}))


def test_what_loads_no_server_has_all_cores() -> None:
    """And afterwards those that it had, whatever happens."""
    every = frozenset(os.sched_getaffinity(0))
    cores = Cores.split(every)
    try:
        os.sched_setaffinity(0, cores.load)
        with suppress(KeyError), cores.all():
            assert os.sched_getaffinity(0) == every
            raise KeyError
        assert os.sched_getaffinity(0) == cores.load
    finally:
        os.sched_setaffinity(0, every)


def test_facts_of_the_mix_are_what_the_goals_ask_for() -> None:
    """Requests a second, ours over theirs, by the rounds; the worst p99 in ms."""
    loads = {
        ("mix", connections, server.name): [
            Load(100 * n, 10, 50, 1_000 * n) for n in (1, 2, 3)
        ]
        for connections in (16, 64)
        for server in servers.ALL
    }
    loads["mix", 16, servers.BARE.name] = [
        Load(rate, 5, 9, 9) for rate in (50, 400, 30)
    ]
    outcome = tabulate(loads, 300, ("mix",), (16, 64))
    assert outcome.facts["mix/ours/bare/300/16"] == 2
    assert outcome.facts["mix/p99/300/16"] == 3
    assert outcome.facts["mix/tail/300/64"] == 40
    required = {
        name for goal in GOALS for name in goal.facts if name.startswith("mix/")
    }
    assert required <= outcome.facts.keys()
    table, ratios = outcome.sections
    assert table.rows[0] == ("16", "ours", "200", "10.0", "0.05", "2.00")
    place = ratios.columns.index("ours : Tornado, fixed bytes")
    assert ratios.rows[0][place] == "2.00 / 0.50"


def test_a_missing_load_generator_is_told_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It comes from the system, not from PyPI."""
    monkeypatch.setenv("PATH", "")
    assert main(["mix"]) == 1
    assert "apt-get install wrk" in capsys.readouterr().err


def test_an_unknown_row_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the names of the existing ones."""
    with pytest.raises(SystemExit) as ended:
        main(["mixx"])
    assert ended.value.code == 2
    assert "no such row: mixx" in capsys.readouterr().err


def test_a_table_is_markdown() -> None:
    """A head, a rule, the rows, and what is to be known about them."""
    section = Section("Speeds", ("server", "req/s"), [("ours", "7")], "Fast.")
    assert report.table(section) == (
        "### Speeds\n\n| server | req/s |\n|---|---:|\n| ours | 7 |\n\nFast."
    )


def test_a_report_replaces_what_was_measured_before(tmp_path: Path) -> None:
    """The text around it stays."""
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{report.BEGIN}\nold\n{report.END}\n\nEnd.\n")
    report.write("new\\1", page)
    report.write("newer\\1", page)
    text = page.read_text()
    assert text == f"# Page\n\n{report.BEGIN}\n\nnewer\\1\n{report.END}\n\nEnd.\n"


def test_the_page_has_a_place_for_the_report() -> None:
    """`--write` finds its marks, once."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert text.count(report.BEGIN) == text.count(report.END) == 1
