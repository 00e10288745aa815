"""The library: as current as the disk, at the price of one `stat`."""

import asyncio
import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.canary import CANARY
from support.files import Clock, save_in_place
from support.knowledge import (
    HIDDEN_COUNT,
    VISIBLE_COUNT,
    KnowledgeBase,
    article_text,
    settled_clock,
)
from support.library import answer, fetch, loaded, rescan
from support.stats import recorded_stats

from asdlc_kb.articles import library as module
from asdlc_kb.articles.article import Article
from asdlc_kb.articles.keyword_search import KeywordSearch
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.articles.schema import ArticleFields, read_article
from asdlc_kb.files.live_library import LOAD_SECONDS
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import STILL_SECONDS
from asdlc_kb.files.snapshot import ParseResult

FILES = HIDDEN_COUNT + VISIBLE_COUNT


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that libraries parse from now on."""
    paths: list[str] = []

    def count(raw: RawFile) -> ParseResult[ArticleFields]:
        paths.append(raw.path)
        return read_article(raw)

    monkeypatch.setattr(module, "read_article", count)
    return paths


def test_a_thousand_calls_on_an_unchanged_folder_parse_nothing(
    knowledge: KnowledgeBase, parsed: list[str]
) -> None:
    """D-064: the cache is keyed on path, mtime and what makes mtime reliable."""
    for number in range(20):
        knowledge.write(f"patterns/p{number}")
    library = loaded(knowledge)
    assert len(parsed) == FILES + 20
    parsed.clear()
    catalog = library.catalog
    for number in range(1000):
        fetch(library, f"p{number % 20}").find(f"p{number % 20}")
        fetch(library, "known-draft")
        fetch(library, "none")
        rescan(library)
    assert parsed == []
    assert library.catalog is catalog


def test_one_edit_parses_exactly_one_file(
    knowledge: KnowledgeBase, parsed: list[str]
) -> None:
    """D-066: whether a scan or a read by name finds it."""
    for slug in ("a", "b", "c"):
        knowledge.write(f"patterns/{slug}")
    library = loaded(knowledge)
    parsed.clear()
    knowledge.write("patterns/a", title="By look")
    assert answer(rescan(library), "a") == "By look"
    knowledge.write("patterns/b", title="By name")
    assert answer(fetch(library, "b"), "b") == "By name"
    rescan(library)
    assert parsed == ["patterns/a.md", "patterns/b.md"]


@pytest.mark.parametrize(
    ("name", "checked"),
    [
        ("x", ["patterns/x.md"]),
        ("patterns/x", ["patterns/x.md"]),
        ("known-draft", [CANARY, "concepts", "patterns"]),
        ("none", [CANARY, "concepts", "patterns"]),
        ("concepts/none", ["concepts"]),
        ("concepts/known-draft", ["concepts"]),
        (f"{CANARY}/only", [CANARY]),
        ("nowhere/none", [""]),
    ],
)
def test_a_read_checks_one_file_and_a_miss_each_category(
    knowledge: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    checked: list[str],
) -> None:
    """D-002: one `stat` for a visible article; hidden and missing cost the same."""
    knowledge.write("patterns/x")
    library = loaded(knowledge)
    with recorded_stats(monkeypatch, knowledge.root) as paths:
        fetch(library, name)
    assert paths == checked
    with recorded_stats(monkeypatch, knowledge.root) as paths:
        assert library.make_check(name)()
    assert paths == checked


@pytest.mark.parametrize("name", ["x", "concepts/x"])
def test_asking_by_name_is_never_stale_after_an_atomic_save(
    knowledge: KnowledgeBase, name: str
) -> None:
    """D-066: saved, promoted, demoted, deleted: seen at once, as generation n+1."""
    path = knowledge.write("concepts/x", title="One")
    library = loaded(knowledge)
    generation = library.catalog.generation
    gone = f"Article '{name}' not found"
    for fields, expected in (
        ({"title": "Two"}, "Two"),
        ({"status": "Draft"}, gone),
        ({"status": "Experimental", "title": "Three"}, "Three"),
        ({"title": None}, "Three"),
        ({"title": "Four"}, "Four"),
    ):
        knowledge.write("concepts/x", **fields)
        assert not library.make_check(name)()
        assert answer(fetch(library, name), name) == expected
        generation += 1
        assert library.catalog.generation == generation
    assert library.make_check(name)()
    path.unlink()
    assert not library.make_check(name)()
    assert answer(fetch(library, name), name) == gone
    assert library.catalog.generation == generation + 1


def test_lists_and_searches_follow_what_was_asked_by_name(
    knowledge: KnowledgeBase,
) -> None:
    """D-066: a read by name publishes the next snapshot, never a private copy."""
    knowledge.write("concepts/x", title="Before")
    library = loaded(knowledge)
    knowledge.write("concepts/x", title="After")
    fetch(library, "x")
    assert library.catalog.search("after", None, 9).total == 1
    assert library.catalog.search("before", None, 9).total == 0
    assert library.catalog.select(None, 1).articles[0].title == "After"


def test_a_new_file_is_found_by_its_name(knowledge: KnowledgeBase) -> None:
    """A changed folder is listed, whether a name was hidden or missing."""
    library = loaded(knowledge)
    assert library.make_check("new")()
    knowledge.write("concepts/new", title="New")
    assert not library.make_check("new")()
    assert answer(fetch(library, "new"), "new") == "New"
    knowledge.write("new-category/other", title="Other")
    assert answer(fetch(library, "other"), "other") == "Article 'other' not found"
    assert answer(rescan(library), "other") == "Other"


def test_a_second_article_of_a_slug_makes_it_ambiguous_by_either_way(
    knowledge: KnowledgeBase,
) -> None:
    """A hidden twin that goes Live is noticed when its own name is read."""
    knowledge.write("concepts/twice", title="First")
    knowledge.write("patterns/twice", title="Second", status="Draft")
    library = loaded(knowledge)
    assert answer(fetch(library, "twice"), "twice") == "First"
    knowledge.write("patterns/twice", title="Second")
    name = "patterns/twice"
    assert answer(fetch(library, name), name) == "Second"
    assert "is ambiguous" in answer(fetch(library, "twice"), "twice")
    knowledge.write("concepts/twice", status="Draft")
    assert answer(fetch(library, "twice"), "twice") == "Second"


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", "a/b/c", "../secret", "..", ".", "concepts/../secret", "~", "a\0b"),
        *("concepts/.hidden", "x.md\n", "/etc/passwd", "%2e%2e/secret", "x" * 5000),
        *("concepts/" + "é" * 200, "\udcff", "con:x", "concepts\\x", "\u202ex", "a//b"),
    ],
    ids=lambda name: ascii(name)[:20],
)
def test_names_that_cannot_be_touch_nothing(
    knowledge: KnowledgeBase, name: str
) -> None:
    """A name from a client reaches the disk only if it is well-formed."""
    save_in_place(knowledge.root.parent / "secret.md", article_text("secret"))
    library = loaded(knowledge)
    catalog = library.catalog
    assert fetch(library, name) is catalog
    assert answer(catalog, name) == f"Article '{name}' not found"


def test_the_start_waits_for_a_file_that_is_being_written(tmp_path: Path) -> None:
    """A file saved just before the start is in the first catalog (it takes 100 ms)."""
    save_in_place(tmp_path / "a" / "x.md", article_text("a/x", title="Fresh"))
    library = ArticleLibrary(tmp_path)
    assert answer(library.load(), "x") == "Fresh"


def test_the_start_does_not_wait_for_ever(tmp_path: Path) -> None:
    """A file that stays open is left to the watcher; the others are served."""
    path = save_in_place(tmp_path / "a" / "log.md", article_text("a/log"))
    save_in_place(tmp_path / "a" / "x.md", article_text("a/x", title="Still"))
    library = ArticleLibrary(tmp_path)
    with path.open("a"):
        started = time.monotonic()
        catalog = library.load()
        assert time.monotonic() - started >= LOAD_SECONDS
    assert answer(catalog, "x") == "Still"
    assert answer(catalog, "log") == "Article 'log' not found"


def test_a_demotion_in_place_hides_once_it_is_still(knowledge: KnowledgeBase) -> None:
    """Without kernel events: half a file is not read, 100 ms later it is."""
    clock = Clock(settled_clock())
    path = knowledge.write("concepts/x", title="One")
    library = ArticleLibrary(knowledge.root, clock=clock, uses_kernel_state=False)
    library.load()
    save_in_place(path, article_text("concepts/x", status="Draft"))
    clock.pass_after(path, 0.05)
    assert answer(fetch(library, "x"), "x") == "One"
    clock.pass_after(path, 0.15)
    assert answer(fetch(library, "x"), "x") == "Article 'x' not found"


@pytest.mark.parametrize(("grace", "title"), [(60.0, "One"), (0.0, None)])
def test_a_missing_root_is_served_for_the_grace_and_comes_back(
    knowledge: KnowledgeBase, grace: float, title: str | None
) -> None:
    """D-069: a missing root is a fault, not a deletion, during the grace period."""
    knowledge.write("concepts/x", title="One")
    library = loaded(knowledge, missing_grace=grace)
    assert library.root == knowledge.root
    away = knowledge.root.parent / "away"
    knowledge.root.rename(away)
    gone = "Article 'x' not found"
    assert answer(fetch(library, "x"), "x") == "One"
    assert answer(rescan(library), "x") == (title or gone)
    assert library.catalog.snapshot.is_missing
    away.rename(knowledge.root)
    assert answer(rescan(library), "x") == "One"
    assert not library.catalog.snapshot.is_missing


def test_a_change_is_logged_in_numbers_and_names_no_file(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """One line a change; hidden files are counted, never named."""
    with caplog.at_level(logging.INFO, "asdlc_kb"):
        library = loaded(knowledge)
        rescan(library)
        knowledge.write("concepts/x")
        rescan(library)
    changed = [r for r in caplog.records if r.getMessage() == "content changed"]
    counts = [(r.generation, r.articles, r.hidden) for r in changed]  # type: ignore[attr-defined]
    assert counts == [(1, 1, HIDDEN_COUNT), (2, 2, HIDDEN_COUNT)]
    assert CANARY not in caplog.text


def test_problems_are_logged_once_for_each_change_of_their_number(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """D-051: one warning for each change, not one for each scan."""
    library = loaded(knowledge)
    before = len(library.catalog.snapshot.all_problems())
    caplog.clear()
    knowledge.write("concepts/x", title=None)
    for number in range(10):
        knowledge.write("concepts/y", title=f"Version {number}")
        rescan(library)
    warnings = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert [(r.getMessage(), r.problems) for r in warnings] == [  # type: ignore[attr-defined]
        ("content has problems: run 'asdlc-kb check'", before + 1)
    ]


async def test_a_scan_published_meanwhile_does_not_make_an_answer_stale(
    knowledge: KnowledgeBase,
) -> None:
    """D-066: a read after an atomic save is current, whichever thread publishes."""
    path = knowledge.write("concepts/x", title="One")
    clock = Clock(path.stat().st_ctime + STILL_SECONDS)
    library = ArticleLibrary(knowledge.root, clock=clock)
    library.load()
    clock.now += 60
    older = library.scan()
    assert older.scan.changed
    knowledge.write("concepts/x", title="Two")
    fetching = asyncio.ensure_future(library.fetch("x"))
    await asyncio.sleep(0)
    library.publish(older)
    assert (await fetching).find("x").title == "Two"


async def test_the_first_keyword_search_builds_its_index_in_a_thread(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, however many searches wait; and a change of an article updates it there."""
    threads: list[int] = []
    build = KeywordSearch.of

    def record(articles: Sequence[Article]) -> KeywordSearch:
        threads.append(threading.get_ident())
        return build(articles)

    monkeypatch.setattr(KeywordSearch, "of", record)
    library = loaded(knowledge)
    loaded_catalog = library.catalog
    assert not loaded_catalog.is_indexed
    catalogs = await asyncio.gather(*(library.searchable_catalog() for _ in range(5)))
    assert all(catalog is loaded_catalog for catalog in catalogs)
    assert len(threads) == 1 and threads[0] != threading.get_ident()
    knowledge.write("patterns/new")
    rescan(library)
    assert library.catalog is not loaded_catalog
    assert library.catalog.is_indexed
    assert library.catalog.search("new", None, 5).total
    assert len(threads) == 1
