"""A value that is created on first use, so that the start does not wait for it."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class AsyncLazy(Generic[T]):
    """Creates a value in a thread, once; concurrent callers wait for it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: list[T] = []
        self._lock = asyncio.Lock()

    @property
    def made(self) -> T | None:
        """The value, if it exists yet."""
        return self._values[0] if self._values else None

    async def get(self) -> T:
        """Return the value; after a failure the next call tries again."""
        if not self._values:
            async with self._lock:
                if not self._values:
                    self._values.append(await asyncio.to_thread(self._make))
        return self._values[0]
