"""Tests of the command that adds up a log: stats."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.knowledge import KnowledgeBase

Invoke = Callable[..., Result]

CALL = {"event": "request", "path": "/mcp", "status": 200, "method": "tools/call"}
SEARCH = {**CALL, "tool": "search_articles"}
FIRST = {"version": "2026-07-28", "ms": 1.5, "found": 2, "query": "Agent loop"}
SECOND = {"version": "2025-11-25", "ms": 9.25, "found": 0, "query": "wh\x1bales"}
ROWS = (
    {**SEARCH, **FIRST, "request_id": "aa"},
    {**SEARCH, **SECOND, "request_id": "ab"},
    {"event": "request", "path": "/", "status": 200, "ms": 4.0},
    {"event": "requests not logged", "status": 404, "number": 5},
)
LINES = [
    json.dumps({"time": f"2026-01-01T10:00:0{second}.000+00:00", **row})
    for second, row in enumerate(ROWS)
]
LOG = "\n".join([*LINES, "systemd says something", ""])


def test_a_log_is_added_up(invoke: Invoke, folder: Path) -> None:
    """Tools, versions, searches, queries, and the slowest."""
    (folder / "server.log").write_text(LOG, encoding="utf-8")
    result = invoke("stats", "server.log")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for expected in (
        "3 requests, 2026-01-01T10:00:00.000+00:00 to 2026-01-01T10:00:02.000+00:00",
        "5 more were refused and not logged individually",
        "1 lines are not log entries",
        "requests refused median ms p95 ms slowest",
        "search_articles 2 0 1.50 1.50 9.25",
        "pages 1 0 4.00 4.00 4.00",
        "1 2026-07-28",
        "2 searches, 1 without results",
        "1 Agent loop",
        "9.25 ms search_articles 2026-01-01T10:00:01.000+00:00 ab 'wh\\x1bales'",
    ):
        assert expected in lines
    assert "\x1b" not in result.stdout
    fruitless = lines.index("Queries without results")
    assert lines[fruitless + 1] == "1 wh\\x1bales"


@pytest.mark.parametrize("name", ["-", None])
def test_it_comes_on_stdin_too(invoke: Invoke, name: str | None) -> None:
    """As from journalctl."""
    arguments = () if name is None else (name,)
    result = invoke("stats", *arguments, "--json", stdin=LOG)
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    assert report["byName"][0] == {
        "name": "search_articles",
        "requests": 2,
        "refused": 0,
        "ms": {"median": 1.5, "p95": 1.5, "max": 9.25},
    }
    assert report["byVersion"] == {"2025-11-25": 1, "2026-07-28": 1}
    assert (report["requests"], report["notLogged"], report["linesSkipped"]) == (
        3,
        5,
        1,
    )
    assert (report["searches"], report["searchesWithoutResult"]) == (2, 1)
    assert report["queriesWithoutResult"] == [{"query": "wh\x1bales", "times": 1}]
    assert report["slowest"][0]["request_id"] == "ab"


def test_the_limit_is_that_of_the_lists(invoke: Invoke) -> None:
    """Of queries, and of slow requests."""
    report = json.loads(invoke("stats", "--limit", "1", "--json", stdin=LOG).stdout)
    assert [len(report[name]) for name in ("queries", "slowest")] == [1, 1]


def test_a_log_without_queries_says_how_to_have_them(invoke: Invoke) -> None:
    """D-084: they are private unless the operator enables them."""
    bare = LOG.replace('"query"', '"else"')
    assert "--log-queries" in invoke("stats", stdin=bare).stdout
    assert "--log-queries" not in invoke("stats", stdin=LOG).stdout


def test_an_empty_log_is_no_failure(invoke: Invoke) -> None:
    """There is nothing to report."""
    result = invoke("stats", stdin="")
    assert (result.exit_code, result.stdout) == (
        0,
        "No requests in this log.\n",
    )
    report = json.loads(invoke("stats", "--json", stdin="").stdout)
    assert (report["requests"], report["from"], report["byName"]) == (0, None, [])


def test_a_log_for_people_has_nothing_to_count(invoke: Invoke) -> None:
    """It says how to have one that has."""
    result = invoke("stats", stdin="12:00:01 INFO request tool=search_docs\n")
    assert result.stdout == (
        "No requests in this log.\n"
        "1 line is not JSON: start the server with --log-format json.\n"
    )


def test_a_log_that_is_not_there_is_an_error_of_use(invoke: Invoke) -> None:
    """Exit code 2, and the name."""
    result = invoke("stats", "missing.log")
    assert result.exit_code == 2
    assert "missing.log" in result.stderr


def test_charts_are_written_to_a_file(invoke: Invoke, folder: Path) -> None:
    """With what of the content was never read; the output stays the same."""
    (folder / "server.log").write_text(LOG, encoding="utf-8")
    plain = invoke("stats", "server.log")
    result = invoke("stats", "server.log", "--html", "report.html")
    assert (result.exit_code, result.stdout) == (0, plain.stdout)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "2026-01-01 to 2026-01-01 (UTC)" in text
    assert "Agent loop" in text
    assert "Name the content to see what was never read" in text


def test_charts_show_only_what_is_visible(
    invoke: Invoke, folder: Path, knowledge: KnowledgeBase
) -> None:
    """Not what was read and is hidden now, nor how many of these there are."""
    knowledge.write("concepts/pelican", title="The pelican")
    knowledge.write("concepts/walrus", title="The walrus", status="Draft")
    read = {**CALL, "tool": "get_article", "ms": 1.0}
    lines = [
        json.dumps(
            {"time": "2026-01-01T10:00:00", **read, "document": f"kb://article/{name}"}
        )
        for name in ("pelican", "walrus", "known-draft")
    ]
    (folder / "server.log").write_text("\n".join(lines), encoding="utf-8")
    content = str(knowledge.root)
    invoke("stats", "server.log", content, "--html", "report.html")
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "The pelican" in text
    assert "walrus" not in text
    assert "known-draft" not in text
    assert "<dt>Read by agents</dt><dd>1 <span>" in text
