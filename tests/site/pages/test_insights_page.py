"""Usage statistics as a page and as a file."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from asdlc_kb.ops.insights.daily_counts import DailyCounts, DayCount, Measure
from asdlc_kb.site.layout.frame import Link, PageLayout, SiteIdentity
from asdlc_kb.site.pages.insights_page import (
    MAX_ROWS,
    MAX_UNREAD,
    InsightsData,
    make_insights,
    write_insights,
)

TODAY = datetime.now(UTC).date()
FRAME = PageLayout(SiteIdentity("Title"), has_docs=False, has_articles=True)
DOCUMENTS = {
    "kb://article/a": Link("/concepts/a", "Article A"),
    "kb://article/b": Link("/concepts/b", "Article B"),
}


def count(*rows: tuple[int, Measure, str, str, int]) -> tuple[DayCount, ...]:
    """Return counts of days before today."""
    counts = DailyCounts()
    for days, measure, label, detail, number in rows:
        day = (TODAY - timedelta(days=days)).isoformat()
        counts.add(day, measure, label, detail, number)
    return tuple(counts)


def show(data: InsightsData, days: int = 30) -> str:
    """Return the text of the page, without tags."""
    page = make_insights(FRAME, data, days, ())
    main = page.body.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


def test_an_empty_page_says_what_is_missing() -> None:
    """A server that was just started."""
    text = show(InsightsData((), DOCUMENTS, logs_queries=False, query_days=30))
    for expected in (
        "No searches in this period.",
        "Nothing was read.",
        "2 of 2 articles and pages were not read",
        "No MCP client sent a request.",
        "No requests.",
        "Texts of queries are not logged.",
    ):
        assert expected in text


@pytest.mark.parametrize("has_texts", [True, False])
def test_without_texts_of_queries_there_is_a_line_and_no_panel(has_texts: bool) -> None:
    """How to see the most frequent ones."""
    rows = [(0, Measure.SEARCHES, "search_docs", "agents", 2)]
    if has_texts:
        rows.append((0, Measure.QUERIES, "rate limit", "agents", 2))
    data = InsightsData(count(*rows), DOCUMENTS, logs_queries=has_texts, query_days=30)
    text = show(data)
    hint = "To see the most frequent queries, start the server with --log-queries ."
    assert ("Most frequent queries" in text) == has_texts
    assert (hint in text) == (not has_texts)


def test_only_the_days_of_the_period_count() -> None:
    """All of the others are left out."""
    counts = count(
        (0, Measure.READS, "kb://article/a", "agents", 2),
        (6, Measure.READS, "kb://article/a", "website", 3),
        (7, Measure.READS, "kb://article/b", "website", 9),
    )
    week = show(InsightsData(counts, DOCUMENTS), 7)
    assert "Article A 2 3" in week
    assert "1 of 2 articles and pages were not read" in week
    assert "Everything was read." in show(InsightsData(counts, DOCUMENTS), 30)


def test_what_is_not_visible_is_not_shown() -> None:
    """Neither its name nor its reads, although they were counted."""
    counts = count((0, Measure.READS, "kb://article/hidden", "agents", 5))
    text = show(InsightsData(counts, DOCUMENTS))
    assert "hidden" not in text
    assert "Read by agents 0" in text
    unknown = show(InsightsData(counts, None))
    assert "kb://article/hidden" in unknown
    assert "asdlc-kb stats LOG CONTENT" in unknown


def test_lists_are_short_and_say_how_much_is_left_out() -> None:
    """The rest is in the log."""
    rows = [(0, Measure.EMPTY_QUERIES, f"q{n}", "agents", 1) for n in range(30)]
    searches = [
        (0, Measure.SEARCHES, "search_docs", "agents", 30),
        (0, Measure.EMPTY_SEARCHES, "search_docs", "agents", 30),
    ]
    documents = {f"kb://doc/{n}": Link(f"/docs/{n}", f"Page {n}") for n in range(100)}
    text = show(InsightsData(count(*rows, *searches), documents))
    assert f"{30 - MAX_ROWS} more queries without results." in text
    assert f"And {100 - MAX_UNREAD} more." in text


def test_limits_and_missing_logs_are_stated() -> None:
    """A figure that is too low is not shown as if it were exact."""
    counts = count(
        (0, Measure.DROPPED, "queries", "", 7), (0, Measure.UNLOGGED, "", "", 5)
    )
    text = show(InsightsData(counts, DOCUMENTS, is_logging=False))
    assert "7 events exceeded the limits" in text
    assert "5 refused requests were not logged" in text
    assert "start the server with --log-level info" in text


def test_tools_beyond_the_first_are_one_column() -> None:
    """A client that never named itself is shown as that."""
    rows = [(0, Measure.CLIENTS, "", f"t{n:02}", 20 - n) for n in range(12)]
    text = show(InsightsData(count(*rows), DOCUMENTS))
    table = text.partition("Clients and tools")[2]
    assert "t07 others all unnamed 20 19 18 17 16 15 14 13 42 174" in table


@pytest.mark.parametrize("documents", [DOCUMENTS, None])
def test_the_file_needs_no_other_one(documents: dict[str, Link] | None) -> None:
    """It can be sent by mail: styles are in it, scripts are not."""
    counts = count(
        (0, Measure.READS, "kb://article/a", "agents", 2),
        (40, Measure.SEARCHES, "search_docs", "agents", 1),
    )
    data = InsightsData(counts, documents, has_links=False)
    text = write_insights(FRAME, data).decode()
    assert not re.search(r'<link|<script|src=|href="/', text)
    assert re.search("color-scheme: ?light dark", text)
    first = (TODAY - timedelta(days=40)).isoformat()
    assert f"{first} to {TODAY.isoformat()} (UTC)" in text
