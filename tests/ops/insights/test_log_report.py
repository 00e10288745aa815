"""Adding up a log: every line counts once, and no line breaks the sum."""

import json
from statistics import median_low
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.ops.insights.log_report import LogReport


def line(**fields: Any) -> bytes:
    """Return the line of a call."""
    common = {"event": "request", "transport": "http", "path": "/mcp", "status": 200}
    named = {"time": "2026-01-01T00:00:00.000+00:00", "ms": 1.0, "method": "tools/call"}
    return json.dumps({**common, **named, **fields}).encode() + b"\n"


def search(query: str | None, found: int = 1, **fields: Any) -> bytes:
    """Return the line of a search."""
    given = {} if query is None else {"query": query}
    return line(tool="search_articles", found=found, **given, **fields)


def read(*lines: bytes, limit: int = 10) -> LogReport:
    """Return the sums of lines."""
    found = LogReport(limit)
    found.read(lines)
    return found


def test_calls_are_added_up_by_tool() -> None:
    """The most frequent first; refusals are those with a code, a status or failed."""
    found = read(
        line(tool="get_article", ms=3.0),
        line(tool="get_article", ms=1.0, failed=True),
        line(tool="get_article", ms=2.0, code=-32602),
        line(tool="search_docs", ms=9.0),
        line(method="ping", ms=4.0),
        line(method=None, path="/a/b", ms=5.0, status=404),
        line(method=None, path="/c", ms=7.0),
        line(method=None, path="/search", found=0),
    )
    rows = {row.name: row for row in found.rows}
    assert list(rows) == ["get_article", "pages", "/search", "ping", "search_docs"]
    row = rows["get_article"]
    assert (row.requests, row.refused) == (3, 2)
    assert (row.median, row.most_of_them, row.slowest) == (2.0, 2.0, 3.0)
    assert (rows["pages"].requests, rows["pages"].refused) == (2, 1)


@given(st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=200))
def test_durations_are_those_of_requests(durations: list[float]) -> None:
    """Each percentile is a value that occurred, in order."""
    (row,) = read(*(line(tool="x", ms=ms) for ms in durations)).rows
    ordered = sorted(durations)
    assert row.median == round(median_low(ordered), 2)
    assert row.slowest == round(ordered[-1], 2)
    assert row.median <= row.most_of_them <= row.slowest


@pytest.mark.parametrize("tool", ["search_articles", "search_docs", "search"])
def test_every_tool_that_searches_is_counted(tool: str) -> None:
    """With those that found nothing."""
    found = read(line(tool=tool, found=0), line(tool=tool, found=1))
    assert (found.searches, found.fruitless) == (2, 1)


def test_queries_are_counted_however_they_are_spelt() -> None:
    """By case and spaces; shown as the first one was."""
    found = read(
        search("Agent  Loop", found=3),
        search("agent loop", found=2),
        search("whales", found=0),
        search(" WHALES", found=0),
        search("whales", found=0),
        search("xyz", found=0),
        search("refused", found=0, failed=True),
        line(method=None, path="/search", query="from a page", found=0),
        line(method=None, path="/-/search.json", query="from a pa", found=0),
    )
    assert (found.searches, found.fruitless) == (7, 5)
    assert found.queries == [
        ("whales", 3),
        ("Agent  Loop", 2),
        ("from a page", 1),
        ("xyz", 1),
    ]
    assert found.queries_without_results == [
        ("whales", 3),
        ("from a page", 1),
        ("xyz", 1),
    ]
    assert found.has_queries


def test_without_queries_there_are_numbers() -> None:
    """By default the log has no query."""
    found = read(search(None), search(None, found=0), line(tool="list_articles"))
    assert (found.searches, found.fruitless) == (2, 1)
    assert (found.queries, found.has_queries) == ([], False)


def test_the_slowest_are_told_each() -> None:
    """With the fields that find them in the log; streams are long, but not slow."""
    lines = [line(tool=f"t{ms}", ms=float(ms), request_id=f"r{ms}") for ms in range(50)]
    lines.append(line(method="subscriptions/listen", ms=1e6))
    lines.append(line(method=None, ms=1e6))
    lines.append(search("why", ms=77.0))
    slowest = read(*lines, limit=3).slowest
    assert [slow.ms for slow in slowest] == [77.0, 49.0, 48.0]
    assert (slowest[0].name, slowest[0].query) == ("search_articles", "why")
    assert (slowest[1].name, slowest[1].request_id) == ("t49", "r49")


def test_the_first_and_the_last_are_found_in_any_order() -> None:
    """Logs of several processes may be concatenated."""
    found = read(line(time="b"), line(time="a"), line(time="c"))
    assert (found.first, found.last, found.requests) == ("a", "c", 3)


def test_what_is_no_request_is_not_counted_as_one() -> None:
    """Other lines of the server, the number of refusals, and foreign lines."""
    found = read(
        b'{"event": "content changed", "generation": 2}\n',
        b'{"event": "requests not logged", "status": 404, "number": 7}\n',
        b'{"event": "requests not logged", "code": "failed", "number": 5}\n',
        b"Started asdlc-kb.service\n",
        b'{"event": "request", "ms": "long"}\n',
        b"\xff\xfe\n",
        b"\n",
    )
    assert (found.requests, found.unlogged, found.unread) == (0, 12, 3)
    assert (found.rows, found.slowest) == ([], [])


@given(
    st.lists(
        st.binary(max_size=80)
        | st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text(max_size=9),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["event", "ms", "tool", "time"]), inner
                )
            ),
            max_leaves=6,
        ).map(lambda value: json.dumps(value).encode()),
        max_size=9,
    )
)
@example([b'{"method":"\x80"'])
def test_no_line_breaks_the_sum(lines: list[bytes]) -> None:
    """The valid ones count, whatever is among them."""
    found = read(line(tool="good"), *lines, line(tool="good"))
    assert next(row for row in found.rows if row.name == "good").requests == 2


def test_a_limit_of_none_is_no_failure() -> None:
    """There is nothing to print then."""
    assert read(line(tool="x"), search("a"), limit=0).slowest == []


def test_lines_without_a_method_are_named_by_their_transport() -> None:
    """A message that is not JSON has nothing else."""
    found = read(line(method=None, path="", transport="stdio"))
    assert [(row.name, row.requests) for row in found.rows] == [("stdio", 1)]
