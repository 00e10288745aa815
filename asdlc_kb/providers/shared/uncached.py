"""Base class of providers that read their data per request and never cache it.

Lists are requested on the event loop, so their data is read beforehand in a thread.
Several such updates may run at once; the one that started last wins.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from asdlc_kb.mcp.dispatch.provider import Provider, Validator

T = TypeVar("T")


class UncachedProvider(Provider):
    """A provider of which nothing but a constant tool list is cacheable."""

    def validator(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return a constant validator for the tool list, None for the rest."""
        return Validator(None) if method == "tools/list" else None

    def is_cacheable(self, method: str) -> bool:
        """Whether the method is `tools/list`."""
        return method == "tools/list"


class LatestValue(Generic[T]):
    """The value of the most recently started update."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._begun = 0
        self._published = 0
        """The update that set `value`, counted from 1."""

    async def update(self, make: Callable[[], T]) -> None:
        """Compute the value in a thread; ignore results of older updates."""
        self._begun += 1
        number = self._begun
        value = await asyncio.to_thread(make)
        if number > self._published:
            self._published, self.value = number, value
