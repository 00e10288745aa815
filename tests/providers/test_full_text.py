"""Asking a full-text index for an answer, and saying what it did with the query."""

import asyncio
import threading
from typing import Any

import pytest
from msgspec import UNSET

from asdlc_kb.mcp.errors import InternalError, ToolFailure
from asdlc_kb.providers import full_text
from asdlc_kb.providers.full_text import Correction, ask, list_corrections, tell, wait
from asdlc_kb.search.document import Results
from asdlc_kb.search.fulltext import FullText
from asdlc_kb.search.indexer import Indexer


class Nothing:
    """A source without documents."""

    def digests(self) -> dict[str, bytes]:
        """Return none."""
        return {}

    def document(self, key: str) -> Any:
        """Be asked for none."""
        raise KeyError(key)


async def test_an_index_that_is_not_there_is_waited_for() -> None:
    """Before it is, nothing can be said to be absent."""
    indexer = Indexer(FullText(None), Nothing)
    await wait(indexer)
    assert indexer.index.is_ready


async def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounded: then it says that the index is not there yet."""
    indexer = Indexer(FullText(None), Nothing)
    monkeypatch.setattr(indexer, "ready", asyncio.Event().wait)
    monkeypatch.setattr(full_text, "READY_SECONDS", 0.0)
    with pytest.raises(ToolFailure, match=r"^The search index is still") as caught:
        await wait(indexer)
    assert caught.value.protocol is InternalError


async def test_an_index_is_asked_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop is never held by a query, and everything is passed on."""
    index = FullText(None)
    asked: list[object] = []

    def search(*given: object, **named: object) -> Results:
        asked.append((given, named, threading.current_thread()))
        return Results(total=7)

    monkeypatch.setattr(index, "search", search)
    accepts = {("a", b"x"): True}.__contains__
    found = await ask(
        Indexer(index, Nothing),
        "query",
        5,
        accepts=accepts,  # type: ignore[arg-type]
        offset=10,
        category="c",
    )
    assert found.total == 7
    ((given, named, thread),) = asked  # type: ignore[misc]
    assert given == ("query", 5)
    assert named == {"offset": 10, "accepts": accepts, "category": "c"}
    assert thread is not threading.current_thread()


def test_words_that_were_taken_for_others_are_told() -> None:
    """Design decision: what was corrected, and "did you mean" where nothing fits."""
    corrected = list_corrections(Results(corrected=(("a", "b"), ("c", "d"))))
    assert corrected == (
        Correction(typed="a", searched="b"),
        Correction(typed="c", searched="d"),
    )
    assert list(tell(corrected, "e")) == [
        "Searched for 'b' instead of 'a', 'd' instead of 'c'.",
        "Did you mean 'e'?",
    ]
    assert list_corrections(Results()) is UNSET
    assert list(tell(UNSET, UNSET)) == []
