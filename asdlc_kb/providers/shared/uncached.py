"""Providers of what is read anew for each question, and remembered nowhere.

Lists are asked for on the event loop, so what they are made from is read before, in a
thread. Several such looks may be under way at once; the one that began last counts.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from asdlc_kb.mcp.dispatch.provider import Provider, Validator

T = TypeVar("T")


class UncachedProvider(Provider):
    """Offers no tools, and nothing that may be kept."""

    def stamp(self, method: str, params: Mapping[str, Any]) -> Validator | None:
        """Return that the list of tools has nothing of this, and is kept."""
        return Validator(None) if method == "tools/list" else None

    def may_be_kept(self, method: str) -> bool:
        """Whether it is the list of tools."""
        return method == "tools/list"


class LatestValue(Generic[T]):
    """What the newest look found."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._begun = 0
        self._published = 0
        """The look that `value` is of, counted from 1."""

    async def look(self, make: Callable[[], T]) -> None:
        """Look in a thread; what an older look finds later does not count."""
        self._begun += 1
        number = self._begun
        value = await asyncio.to_thread(make)
        if number > self._published:
            self._published, self.value = number, value
