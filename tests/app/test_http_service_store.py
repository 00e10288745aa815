"""Other sources of a store are served after a reload."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from support.wire import BOUND, until

from asdlc_kb.app import Runtime
from asdlc_kb.app import http_service as module
from asdlc_kb.app.http_service import HttpService
from asdlc_kb.exceptions import (
    OperationalError,
    SettingsError,
    StoreMisconfigured,
    StoreUnavailable,
)
from asdlc_kb.web.http_server import open_sockets


class ChangedStore:
    """A store with other sources than those that are served, until a reload."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []
        """Those of the next reloads, the last one first."""
        self.attempts = 0
        self.looks = 0
        self.sources = ["a"]
        self.is_served = False
        self.mirrors = SimpleNamespace(describe=lambda: list(self.sources))

    def is_outdated(self, max_age: int) -> bool:
        """Return that the content is up to date."""
        return False

    def has_changed(self, served: object) -> bool:
        """Whether no reload has succeeded."""
        self.looks += 1
        return not self.is_served

    def rebuild(self, app: Runtime, settings: object) -> Runtime:
        """Reload, or fail."""
        self.attempts += 1
        if self.failures:
            raise self.failures.pop()
        self.is_served = True
        return app

    async def look_again(self) -> None:
        """Wait until it was looked at several times more."""
        looks = self.looks
        await until(lambda: self.looks > looks + 3)


@asynccontextmanager
async def following(app: Runtime, store: Any) -> AsyncIterator[None]:
    """Follow a store."""
    service = HttpService(app, open_sockets("127.0.0.1", 0))
    task = asyncio.ensure_future(service.follow_store(store))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)
        await asyncio.wait_for(service.stop(), BOUND)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> ChangedStore:
    """A store that is looked at often, as failed reloads are repeated."""
    store = ChangedStore()
    monkeypatch.setattr(module, "STORE_SECONDS", 0.001)
    monkeypatch.setattr(module, "MIN_RETRY_SECONDS", 0.001)
    monkeypatch.setattr(module, "MAX_RETRY_SECONDS", 0.001)
    monkeypatch.setattr(module, "rebuild", store.rebuild)
    return store


async def test_a_failure_that_may_pass_is_repeated(
    app: Runtime, store: ChangedStore
) -> None:
    """A mirror that is being written, or a lack of descriptors."""
    store.failures += [OSError(24, "Too many open files"), StoreUnavailable("away")] * 2
    async with following(app, store):
        await until(lambda: store.is_served)
        assert store.attempts == 5
        await store.look_again()
        assert store.attempts == 5


async def test_repetitions_pause(
    app: Runtime, store: ChangedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not with each look at the store."""
    monkeypatch.setattr(module, "MIN_RETRY_SECONDS", 3600.0)
    store.failures += [StoreUnavailable("away")] * 2
    async with following(app, store):
        await until(lambda: store.attempts == 1)
        await store.look_again()
        assert store.attempts == 1
        store.sources.append("b")
        await until(lambda: store.attempts == 2)


@pytest.mark.parametrize("error", [SettingsError, OperationalError, StoreMisconfigured])
async def test_what_an_operator_has_to_change_is_not_repeated(
    app: Runtime, store: ChangedStore, error: type[Exception]
) -> None:
    """Until the store has other sources."""
    store.failures += [error("two sources of articles")] * 2
    async with following(app, store):
        await until(lambda: store.attempts == 1)
        await store.look_again()
        store.sources.append("b")
        await until(lambda: store.attempts == 2)
        await store.look_again()
        assert store.attempts == 2
        store.sources.append("c")
        await until(lambda: store.is_served)
