"""Full-text search, as a domain uses it."""

import gc
import logging
import subprocess
import sys
import threading
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
from support.processes import environment
from support.texts import DOCUMENTS, Texts, document, find, index, keys, section

from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import SearchDocument, SearchRequest


def test_nothing_is_found_before_a_source_is_followed() -> None:
    """And the index reports that it is not ready."""
    fulltext = FullText(None)
    assert not fulltext.is_ready
    assert (
        fulltext.search(SearchRequest("cache", 10, lambda key, digest: True)).total == 0
    )


def test_a_hit_says_where_the_best_place_is() -> None:
    """Its heading, anchor, line in the file and passage, with matches marked."""
    results = find(index(*DOCUMENTS), "how do I clear the cache?")
    hit = results.hits[0]
    assert (hit.key, hit.heading, hit.anchor, hit.line) == (
        "guides/cache.md",
        "Clearing the cache",
        "clearing-the-cache",
        12,
    )
    assert hit.snippet == "Run the **clear** command to empty it."


def test_following_the_same_source_again_changes_nothing() -> None:
    """No document is made for it, and the generation stays."""
    source = Texts(*DOCUMENTS)
    fulltext = FullText(None)
    assert fulltext.sync(source)
    before = fulltext.generation
    source.asked.clear()
    assert not fulltext.sync(source)
    assert (source.asked, fulltext.generation) == ([], before)


def test_only_what_differs_is_read() -> None:
    """A changed document and a new one; removed ones are found no more."""
    fulltext = FullText(None)
    fulltext.sync(Texts(*DOCUMENTS))
    changed = document(DOCUMENTS[0].key, "Caching pages", "Nothing but zebras.")
    source = Texts(changed, DOCUMENTS[2], document("new.md", "Okapi", "Striped legs."))
    assert fulltext.sync(source)
    assert sorted(source.asked) == ["guides/cache.md", "new.md"]
    pair = (fulltext, source)
    assert keys(find(pair, "zebras")) == ["guides/cache.md"]
    assert keys(find(pair, "striped okapi")) == ["new.md"]
    assert find(pair, "proxy").total == 0


def test_a_state_that_is_not_accepted_shows_nowhere() -> None:
    """D-087: not in hits, counts, corrections or suggestions until the update."""
    fulltext, source = index(
        *DOCUMENTS, document("secret.md", "Xylophone", "Xylophones")
    )
    del source.documents["secret.md"]
    pair = (fulltext, source)
    for query in ("xylophone", "xylophoen", "xylo", "xylo*", "+xylophoen", "xylopho"):
        results = find(pair, query)
        assert (results.hits, results.total) == ((), 0)
        assert (results.corrected, results.suggestion) == ((), None)


def test_a_page_that_was_saved_again_is_not_shown_as_it_was() -> None:
    """The digest differs; the key is the same."""
    fulltext, source = index(*DOCUMENTS)
    source.documents["guides/cache.md"] = replace(DOCUMENTS[0], digest=b"another")
    assert "guides/cache.md" not in keys(find((fulltext, source), "cache"))


def test_results_come_in_parts() -> None:
    """With an offset; the total counts all of them."""
    pair = index(*(document(f"{n}.md", f"Page {n}", "zebra") for n in range(7)))
    fulltext, source = pair
    whole = find(pair, "zebra")
    assert whole.total == len(whole.hits) == 7
    parts = [
        fulltext.search(SearchRequest("zebra", 3, source.accepts, start))
        for start in (0, 3, 6, 9)
    ]
    assert tuple(hit for part in parts for hit in part.hits) == whole.hits
    assert {part.total for part in parts} == {7}


def test_a_category_narrows() -> None:
    """Whatever its case; an unknown one has nothing."""
    fulltext, source = index(*DOCUMENTS)
    request = SearchRequest("configuration", 5, source.accepts, category="Operations")
    results = fulltext.search(request)
    assert (keys(results), results.total) == (["guides/deploy.md"], 1)
    none = fulltext.search(replace(request, category="x"))
    assert none.total == 0


def test_each_build_and_refresh_is_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With pages and milliseconds, and never a query."""
    caplog.set_level(logging.INFO, "asdlc_kb.search")
    fulltext, source = index(*DOCUMENTS)
    find((fulltext, source), "canaryquery")
    fulltext.sync(Texts(*DOCUMENTS[:2]))
    fulltext.sync(Texts(*DOCUMENTS[:2]))
    lines = [(r.message, vars(r)["pages"]) for r in caplog.records]
    assert lines == [("index built", 4), ("index refreshed", 2)]
    assert all(vars(r)["ms"] >= 0 for r in caplog.records)
    assert "canaryquery" not in str([vars(r) for r in caplog.records])


def test_progress_is_told_while_an_index_is_built() -> None:
    """One call a document, in order."""
    progress: list[tuple[int, int]] = []
    fulltext = FullText(
        None, progress=lambda done, limit: progress.append((done, limit))
    )
    fulltext.sync(Texts(*DOCUMENTS))
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_index_that_is_closed_follows_no_more() -> None:
    """Its content can still be searched."""
    fulltext, source = index(*DOCUMENTS)
    fulltext.close()
    assert not fulltext.sync(Texts())
    assert find((fulltext, source), "cache").total


def test_the_engine_is_loaded_when_it_is_needed() -> None:
    """A server that starts, or one without search, does not pay for it."""
    script = (
        "import sys, asdlc_kb.cli, asdlc_kb.app\n"
        "import asdlc_kb.search.service.indexer\n"
        "import asdlc_kb.search.service.fulltext as f\n"
        "assert 'tantivy' not in sys.modules\n"
        "class S:\n"
        "    digests = lambda self: {}\n"
        "f.FullText(None).sync(S())\n"
        "assert 'tantivy' in sys.modules\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, env=environment(), timeout=60, check=False, stderr=subprocess.PIPE
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_engine_that_panics_gives_no_hits_and_is_rebuilt(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A panic is no Exception in Python; the next change builds a new index."""
    panic = type("PanicException", (BaseException,), {})
    fulltext, source = index(*DOCUMENTS)

    def fail(*args: object) -> None:
        raise panic("the text of a page")

    with monkeypatch.context() as patch:
        patch.setattr("asdlc_kb.search.index.index_snapshot._search", fail)
        assert find((fulltext, source), "cache").total == 0
    assert "the text of a page" not in caplog.text
    assert fulltext.sync(source)
    assert len(source.asked) == 2 * len(DOCUMENTS)
    assert find((fulltext, source), "cache").total


def test_a_query_that_fails_on_an_index_just_made_makes_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D-052: one hostile query does not keep the indexer busy."""
    fulltext, source = index(*DOCUMENTS)

    def fail(*args: object) -> None:
        raise ValueError

    monkeypatch.setattr("asdlc_kb.search.index.index_snapshot._search", fail)
    assert find((fulltext, source), "cache").total == 0
    assert (fulltext.is_damaged, fulltext.sync(source)) == (True, True)
    assert find((fulltext, source), "cache").total == 0
    assert not fulltext.is_damaged
    assert not fulltext.sync(source)
    assert len(source.asked) == 2 * len(DOCUMENTS)


def test_sections_without_text_and_pages_without_sections_are_found() -> None:
    """By their headings and titles; the description replaces a passage."""
    pair = index(
        document("a.md", "Zebra", description="About zebras."),
        document("b.md", "Other", "", section("Okapi", "", 3)),
    )
    (zebra,) = find(pair, "zebra").hits
    assert (zebra.heading, zebra.line, zebra.snippet) == ("", 1, "About **zebras**.")
    (okapi,) = find(pair, "okapi").hits
    assert (okapi.heading, okapi.line, okapi.snippet) == ("Okapi", 3, "")


def test_what_is_gone_is_found_no_more_and_leaves_the_files_with_a_purge(
    tmp_path: Path,
) -> None:
    """D-089: the purge gives way to nothing."""
    fulltext = FullText(tmp_path / "index")
    fulltext.sync(Texts(*DOCUMENTS))
    assert (fulltext.needs_purge, fulltext.is_damaged) == (False, False)
    before = files(tmp_path / "index")
    remaining = Texts(*DOCUMENTS[1:])
    fulltext.sync(remaining)
    assert (fulltext.needs_purge, fulltext.is_damaged) == (True, False)
    assert keys(find((fulltext, remaining), "cache")) == []
    assert before & files(tmp_path / "index")
    assert fulltext.purge(lambda: True)
    assert not fulltext.needs_purge
    assert not before & files(tmp_path / "index")
    assert keys(find((fulltext, remaining), "nginx")) == ["guides/deploy.md"]
    fulltext.close()


def test_what_was_only_replaced_gives_way_when_it_is_purged(tmp_path: Path) -> None:
    """It is not secret, and an edit is to be found soon."""
    fulltext = FullText(tmp_path / "index")
    many = [document(f"{n}.md", "Many") for n in range(100)]
    fulltext.sync(Texts(*many))
    fulltext.sync(Texts(*many[30:], *(document(m.key, "New") for m in many[:30])))
    assert (fulltext.needs_purge, fulltext.purge(lambda: True)) == (True, False)
    assert (fulltext.needs_purge, fulltext.purge()) == (True, True)
    assert not fulltext.needs_purge
    fulltext.close()


def files(root: Path) -> set[str]:
    """Return the names of the files that contain text of documents."""
    return {path.name for path in root.rglob("*.store")}


def test_an_index_that_was_left_with_deleted_text_wants_a_purge(
    tmp_path: Path,
) -> None:
    """D-089: if a process stops before the purge, the next one does it."""
    fulltext = FullText(tmp_path / "index")
    fulltext.sync(Texts(*DOCUMENTS))
    remaining = Texts(*DOCUMENTS[1:])
    fulltext.sync(remaining)
    fulltext.close()
    following = FullText(tmp_path / "index")
    following.sync(remaining)
    assert following.needs_purge
    following.close()


def test_a_build_that_is_no_longer_awaited_ends() -> None:
    """A server stops within seconds, whatever it is reading."""

    class Closing(Texts):
        """Closes the index while it is read."""

        def document(self, key: str) -> SearchDocument:
            """Return a document, once the index is to be closed."""
            if not self.asked:
                closing.start()
                assert started.wait(60)
            return super().document(key)

    started = threading.Event()

    def close() -> None:
        fulltext._is_closing = True
        started.set()
        fulltext.close()

    source = Closing(*DOCUMENTS)
    fulltext = FullText(None)
    closing = threading.Thread(target=close)
    assert not fulltext.sync(source)
    closing.join(20)
    assert source.asked == [DOCUMENTS[0].key]
    assert not fulltext.is_ready


def test_an_old_snapshot_is_released_after_its_last_reader() -> None:
    """It holds files and memory: the garbage collector is not waited for."""
    fulltext, source = index(*DOCUMENTS)
    find((fulltext, source), "cach")
    old = weakref.ref(fulltext._snapshot)
    gc.disable()
    try:
        fulltext.sync(Texts(*DOCUMENTS[1:]))
        assert old() is None
    finally:
        gc.enable()
