"""Use of a full-text index, and its notes on the query."""

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest
from msgspec import UNSET
from support.texts import DOCUMENTS, Texts

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.mcp.protocol.errors import InternalError, ToolFailure
from asdlc_kb.providers.shared import full_text as module
from asdlc_kb.providers.shared.full_text import (
    Correction,
    describe_words,
    list_corrections,
    search_index,
)
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.search.values import SearchRequest, SearchResults

AS_TYPED = "Quoted words are searched as typed."


@pytest.fixture
def texts() -> Texts:
    """A few documents."""
    return Texts(*DOCUMENTS)


@pytest.fixture
def indexer(texts: Texts) -> Indexer:
    """An index of them in memory, not built yet."""
    return Indexer(FullText(None), lambda: texts)


async def test_an_answer_waits_until_the_index_is_there(
    indexer: Indexer, texts: Texts
) -> None:
    """Whichever caller builds it: nothing is reported absent before."""
    assert not indexer.index.is_ready
    results = await search_index(indexer, SearchRequest("cache", 10, texts.accepts))
    assert [hit.key for hit in results.hits] == ["guides/cache.md"]


async def test_many_that_wait_build_it_once(indexer: Indexer, texts: Texts) -> None:
    """A busy start does not read everything for each caller."""
    request = SearchRequest("a", 1, texts.accepts)
    searches = (search_index(indexer, request) for _ in range(20))
    await asyncio.gather(*searches)
    assert sorted(texts.asked) == sorted(texts.documents)


async def test_the_wait_has_an_end(
    indexer: Indexer, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool failure that says what to do; as a protocol error, internal.

    The index goes on being built.
    """
    monkeypatch.setattr(module, "READY_SECONDS", 0.0)
    with pytest.raises(ToolFailure) as caught:
        await search_index(indexer, SearchRequest("cache", 10, texts.accepts))
    assert str(caught.value) == (
        "The search index is still being built: ask again in a while"
    )
    assert caught.value.protocol is InternalError
    monkeypatch.undo()
    await search_index(indexer, SearchRequest("cache", 10, texts.accepts))
    assert indexer.index.is_ready


async def test_an_index_that_cannot_be_built_finds_nothing(
    indexer: Indexer, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keywords and reading go on; the next change builds it again."""

    def fail(key: str) -> None:
        raise IndexCorrupt(key)

    with monkeypatch.context() as patch:
        patch.setattr(texts, "document", fail)
        request = SearchRequest("cache", 10, texts.accepts)
        answer = await search_index(indexer, request)
        assert answer == SearchResults()
    assert (await search_index(indexer, request)).total == 1


async def test_a_query_is_asked_in_a_thread(
    indexer: Indexer, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only of a small index are words looked up on the event loop (D-176)."""
    limit = "asdlc_kb.search.service.fulltext.MAX_SMALL_INDEX_DOCUMENTS"
    monkeypatch.setattr(limit, len(DOCUMENTS) - 1)
    threads: set[int] = set()

    def accept(key: str, digest: bytes) -> bool:
        threads.add(threading.get_ident())
        return texts.accepts(key, digest)

    await search_index(indexer, SearchRequest("cache", 10, accept))
    assert threads
    assert threading.get_ident() not in threads


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        ({}, ["guides/deploy.md", "guides/cache.md"]),
        ({"limit": 1}, ["guides/deploy.md"]),
        ({"offset": 1}, ["guides/cache.md"]),
        ({"category": "operations"}, ["guides/deploy.md"]),
        ({"accepts": lambda key, _: "deploy" in key}, ["guides/deploy.md"]),
    ],
)
async def test_what_narrows_a_search_reaches_the_index(
    indexer: Indexer, texts: Texts, arguments: dict[str, Any], keys: list[str]
) -> None:
    """Limit, offset, category and visibility."""
    request = replace(SearchRequest("configuration", 10, texts.accepts), **arguments)
    results = await search_index(indexer, request)
    assert [hit.key for hit in results.hits] == keys


@pytest.mark.parametrize(
    ("corrected", "suggestion", "sentences"),
    [
        ((), None, []),
        (
            (("cahce", "cache"),),
            None,
            [f"Searched for 'cache' instead of 'cahce'. {AS_TYPED}"],
        ),
        (
            (("cahce", "cache"), ("frist", "first")),
            None,
            [
                "Searched for 'cache' instead of 'cahce', 'first' instead of 'frist'. "
                f"{AS_TYPED}"
            ],
        ),
        ((), "clear cache", ["Did you mean 'clear cache'?"]),
        (
            (("a", "b"),),
            "c",
            [
                f"Searched for 'b' instead of 'a'. {AS_TYPED}",
                "Did you mean 'c'?",
            ],
        ),
        (
            (("rate limit", "ratelimit"), ("a", "b")),
            None,
            [
                f"Searched for 'b' instead of 'a'. {AS_TYPED}",
                "Also searched for 'ratelimit'.",
            ],
        ),
    ],
)
def test_what_was_done_with_a_query_is_told(
    corrected: tuple[tuple[str, str], ...], suggestion: str | None, sentences: list[str]
) -> None:
    """D-103: one sentence on the replaced words, and a suggestion."""
    results = SearchResults(corrected=corrected, suggestion=suggestion)
    listed = list_corrections(results)
    if corrected:
        assert listed == tuple(Correction(typed=t, searched=s) for t, s in corrected)
    else:
        assert listed is UNSET
    assert list(describe_words(results, "page")) == sentences


def test_unknown_words_come_first() -> None:
    """The most in one sentence, before what was searched for instead."""
    results = SearchResults(corrected=(("serde", "serve"),), unknown=("json", "serde"))
    assert list(describe_words(results, "page")) == [
        "No searched page has 'json' or 'serde'.",
        f"Searched for 'serve' instead of 'serde'. {AS_TYPED}",
    ]
    for count, rest in ((9, "another word"), (10, "2 other words")):
        results = SearchResults(unknown=tuple(map(str, range(count))))
        (sentence,) = describe_words(results, "article")
        assert sentence.startswith("No searched article has '0' or '1' or ")
        assert sentence.endswith(f" or '7' or {rest}.")


def test_excluded_words_are_named() -> None:
    """A dash can be part of a text."""
    results = SearchResults(excluded=("proxy", "rate limit"))
    assert list(describe_words(results, "page")) == [
        f"Results with 'proxy' or 'rate limit' are left out. {AS_TYPED}"
    ]
