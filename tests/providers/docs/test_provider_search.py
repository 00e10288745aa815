"""`search_docs`: results, their positions, and notes on the query."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.manual import Manual

from asdlc_kb.providers.shared import full_text as module
from asdlc_kb.search.values import SearchResults


async def test_a_question_finds_the_page_and_the_place(manual: Manual) -> None:
    """D-019: path, score and passage; the headings with the anchor and line too."""
    query = "how many requests a minute?"
    answer = await manual.call("search_docs", query=query)
    best = answer["results"][0]
    assert (best["path"], best["title"]) == ("configuration.md", "Configuration")
    place = (best["heading"], best["anchor"])
    assert place == ("Configuration > Rate limits", "rate-limits")
    line = (manual.tree.root / "configuration.md").read_text().split("\n")
    assert line[best["line"] - 1] == "## Rate limits"
    assert best["passage"].startswith("At most 120 requests a minute.")
    text = await manual.text("search_docs", query=query)
    assert text.startswith(f"Found {answer['total']} result")
    assert "1. configuration.md (score: " in text
    assert "Configuration > Rate limits (#rate-limits)" in text


async def test_what_was_found_can_be_read(manual: Manual) -> None:
    """get_doc_page accepts its path and anchor."""
    (best, *_) = (await manual.call("search_docs", query="120 requests"))["results"]
    page = await manual.call(
        "get_doc_page", path=best["path"], sections=[best["anchor"]]
    )
    assert "At most 120 requests a minute." in page["content"]


@pytest.fixture
def rocks(tmp_path: Path, scanner: Scanner) -> Manual:
    """Pages with several sections about one thing."""
    manual = Manual(tmp_path / "rocks", scanner)
    for number in range(6):
        body = f"# Rock {number}\n\nAn albatross.\n\n" + "".join(
            f"## Nest {nest}\n\nThe albatross {'breeds ' * 30}here.\n\n"
            for nest in range(8)
        )
        manual.tree.write(f"rocks/{number}.md", body)
    manual.update()
    return manual


@pytest.mark.parametrize(
    ("detail", "passages"), [(None, 3), ("list", 0), ("passages", 6)]
)
async def test_the_detail_says_how_many_passages_there_are(
    rocks: Manual, detail: str | None, passages: int
) -> None:
    """Of the best three by default; the others have a snippet, or are short."""
    arguments = {"query": "albatross", "detail": detail, "limit": 6}
    answer = await rocks.call("search_docs", **arguments)
    rows = answer["results"]
    assert len(rows) == 6
    assert ["passage" in row for row in rows] == [n < passages for n in range(6)]
    assert ["snippet" in row for row in rows] == [detail == "list"] * 6
    for row in rows[:passages]:
        assert "The albatross breeds" in row["passage"]


@pytest.mark.parametrize("detail", [None, "list", "passages"])
@pytest.mark.parametrize("max_chars", [1_000, 2_000, 5_000, 20_000])
async def test_a_search_has_as_many_characters_as_it_may(
    rocks: Manual, detail: str | None, max_chars: int
) -> None:
    """The rest follows by cursor; joined, the pages are the whole list."""
    arguments = {"query": "albatross", "detail": detail, "max_chars": max_chars}
    paths, cursor = [], None
    while True:
        result = await rocks.peer.call(
            "search_docs", **arguments, cursor=cursor, limit=4
        )
        texts = [item["text"] for item in result["content"]]
        assert len(texts[0]) <= max_chars
        answer = result["structuredContent"]
        paths += [row["path"] for row in answer["results"]]
        cursor = answer.get("nextCursor")
        if cursor is None:
            break
        assert texts[1].endswith(f'Next: cursor "{cursor}"')
    assert len(paths) == len(set(paths)) == answer["total"]


async def test_results_far_from_the_best_come_only_if_asked(manual: Manual) -> None:
    """A question matches nearly everything; the rest is a cursor or a limit away."""
    manual.tree.write("storm.md", "# Storm petrel\n\nA storm petrel. Storm petrels.\n")
    manual.tree.write("other.md", f"# Other\n\n{'Words. ' * 300}A storm.\n")
    manual.update()
    answer = await manual.call("search_docs", query="storm petrel")
    assert [row["path"] for row in answer["results"]] == ["storm.md"]
    assert answer["total"] == 2
    rest = await manual.call(
        "search_docs", query="storm petrel", cursor=answer["nextCursor"]
    )
    assert [row["path"] for row in rest["results"]] == ["other.md"]
    both = await manual.call("search_docs", query="storm petrel", limit=10)
    assert len(both["results"]) == 2


async def test_a_query_is_trimmed(manual: Manual) -> None:
    """Blanks around it mean nothing, for the cursor either."""
    plain = await manual.call("search_docs", query="requests")
    assert await manual.call("search_docs", query="  requests\n") == plain


async def test_a_typo_is_corrected_and_told(manual: Manual) -> None:
    """D-103: a result states what was corrected."""
    result = await manual.peer.call("search_docs", query="enviroment")
    answer, (_, note) = result["structuredContent"], result["content"]
    assert answer["results"][0]["path"] == "configuration.md"
    assert answer["corrected"] == [{"typed": "enviroment", "searched": "environment"}]
    assert note["text"] == (
        "No searched page has 'enviroment'. Searched for 'environment' instead of "
        "'enviroment'. Quoted words are searched as typed."
    )


COMMANDS = [
    ("docker run --rm -it -p 8000:8000 -v ${PWD}:/docs site", "docker"),
    ("docker run -p 80 site", "docker"),
    ("hugo server -D", "hugo"),
    ("git push -f", "git"),
    ("stop it from running rm -rf", "rm"),
    ("ulimit -Sn 10000", "ulimit"),
    ("NOT NULL constraint failed: users.email", "null"),
    ("why does it NOT work: 404 NOT FOUND", "missing"),
]


@pytest.mark.parametrize(("query", "name"), COMMANDS)
async def test_pasted_commands_and_errors_find_their_page(
    tmp_path: Path, scanner: Scanner, query: str, name: str
) -> None:
    """A flag is on the page that documents it, which it must not exclude."""
    manual = Manual(tmp_path / "docs", scanner)
    for own, other in COMMANDS:
        text = own.replace("NOT ", "not ")
        manual.tree.write(f"{other}.md", f"# The {other}\n\nType `{text}` here.\n")
    manual.update()
    answer = await manual.call("search_docs", query=query)
    assert answer["results"][0]["path"] == f"{name}.md"


async def test_excluded_words_are_named(manual: Manual) -> None:
    """D-103: a result states what it leaves out, an empty one too."""
    note = "Results with 'environment' are left out. "
    for query in ("variables -environment", "zzqxv -environment"):
        result = await manual.peer.call("search_docs", query=query)
        assert note in " ".join(text["text"] for text in result["content"][1:])


async def test_nothing_that_fits_is_said_so(manual: Manual) -> None:
    """No error, and no unrelated page."""
    answer = await manual.call("search_docs", query="zzqxv wwkjh")
    assert (answer["results"], answer["total"]) == ([], 0)
    text = await manual.text("search_docs", query="zzqxv wwkjh")
    assert text.startswith("No results found for 'zzqxv wwkjh'.")


@pytest.mark.parametrize(
    "query",
    [
        *('"', "(", "title:", "a AND", "-", "NOT NOT", "C++", "don't", "a/b.c", "\0"),
        *("日本語", "é", "*", "x" * 2000, "to be or not to be", "[]{}^~:\\"),
    ],
)
async def test_no_query_is_an_error(manual: Manual, query: str) -> None:
    """D-088: nothing is ever a syntax error."""
    await manual.call("search_docs", query=query)


async def test_the_limit_is_ten_by_default_and_the_rest_follows(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-019: 10; further results by cursor, each page once."""
    manual = Manual(tmp_path / "docs", scanner)
    for number in range(23):
        manual.tree.write(f"many/{number}.md", f"# Page {number}\n\nAn albatross.\n")
    manual.update()
    paths, cursor, sizes = [], None, []
    while True:
        answer = await manual.call("search_docs", query="albatross", cursor=cursor)
        assert answer["total"] == 23
        sizes.append(len(answer["results"]))
        paths += [row["path"] for row in answer["results"]]
        cursor = answer.get("nextCursor")
        if cursor is None:
            break
    assert sizes == [10, 10, 3]
    assert len(set(paths)) == 23
    other = (await manual.call("search_docs", query="albatross"))["nextCursor"]
    error = await manual.failure("search_docs", query="pelican", cursor=other)
    assert error.startswith("Invalid cursor: it belongs to other arguments")


async def test_what_the_index_has_not_yet_seen_is_not_shown_stale(
    manual: Manual,
) -> None:
    """D-087: a hit whose page changed or was hidden is dropped, count included."""
    assert (await manual.call("search_docs", query="pelican"))["total"] == 2
    draft = f"---\ndraft: true\n---\n# Welcome\n\nPelican {CANARY}.\n"
    manual.tree.write("index.md", draft)
    manual.library.publish(manual.library.scan())
    answer = await manual.call("search_docs", query="pelican")
    assert answer["total"] == 1
    assert answer["results"][0]["path"] == "guide/first steps.md"
    manual.tree.write("guide/first steps.md", "# First steps\n\nA heron.\n")
    manual.library.publish(manual.library.scan())
    assert (await manual.call("search_docs", query="pelican"))["total"] == 0


async def test_a_changed_page_is_found_once_the_index_has_it(manual: Manual) -> None:
    """A cached result is not returned again."""
    assert (await manual.call("search_docs", query="cormorant"))["total"] == 0
    manual.tree.write("guide/index.md", "# Guide\n\nA cormorant.\n")
    manual.library.publish(manual.library.scan())
    assert (await manual.call("search_docs", query="cormorant"))["total"] == 0
    manual.update()
    answer = await manual.call("search_docs", query="cormorant")
    assert [row["path"] for row in answer["results"]] == ["guide/index.md"]


async def test_the_first_search_makes_the_index(
    tmp_path: Path, scanner: Scanner
) -> None:
    """It never answers "nothing found" before there is an index."""
    manual = Manual(tmp_path / "docs", scanner, is_indexed=False)
    assert not manual.index.is_ready
    assert (await manual.call("search_docs", query="pelican"))["total"] == 2


async def test_a_search_waits_for_the_index(
    manual: Manual, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never answers "nothing found" while the index is being built."""
    order: list[str] = []
    search = manual.index.search

    async def ready() -> None:
        order.append("ready")

    def note(*args: Any, **named: Any) -> SearchResults:
        order.append("search")
        return search(*args, **named)

    monkeypatch.setattr(manual.indexer, "ready", ready)
    monkeypatch.setattr(manual.index, "search", note)
    assert (await manual.call("search_docs", query="pelican"))["total"] == 2
    assert (order[0], order[-1], order.count("search")) == ("ready", "search", 1)


async def test_a_search_does_not_wait_for_ever(
    manual: Manual, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounded: then the error says that the index is not ready."""
    monkeypatch.setattr(manual.indexer, "ready", asyncio.Event().wait)
    monkeypatch.setattr(module, "READY_SECONDS", 0.0)
    error = await manual.failure("search_docs", query="pelican")
    assert error == "The search index is still being built: ask again in a while"


async def test_the_loop_turns_while_a_search_is_made(
    manual: Manual, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query runs in a thread: the event loop is never blocked."""
    loop = asyncio.get_running_loop()
    threads: list[object] = []

    async def turn() -> None:
        threads.append(threading.current_thread())

    def search(*_: Any, **__: Any) -> SearchResults:
        threads.append(threading.current_thread())
        asyncio.run_coroutine_threadsafe(turn(), loop).result(60)
        return SearchResults()

    monkeypatch.setattr(manual.index, "search", search)
    await manual.call("search_docs", query="pelican")
    assert len(set(threads)) == 2


async def test_a_filter_that_no_page_passes_is_reported(manual: Manual) -> None:
    """A search of nothing says why; of dates, that no page has one."""
    call = manual.peer.call
    result = await call("search_docs", query="pelican updated:>2026-01")
    count = len(manual.library.catalog.pages)
    note = f"None of {count} pages passes the filters."
    assert result["content"][1]["text"] == f"{note} No page has a date."
    manual.tree.write("dated.md", "---\nlastUpdated: 2025-01-01\n---\n# Dated\n")
    manual.update()
    result = await call("search_docs", query="pelican updated:>2026-01")
    assert (
        result["content"][1]["text"] == f"None of {count + 1} pages passes the filters."
    )


async def test_an_error_lists_the_parameters_that_are_shown(manual: Manual) -> None:
    """One tree in one language: its schema has no argument to choose others."""
    error = await manual.failure("search_docs", query="pelican", colour="red")
    assert error == (
        "Unknown parameter: colour. Known parameters: "
        "query, limit, category, detail, max_chars, cursor"
    )
