"""A value that is made when it is first asked for, so that a start need not wait."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class AsyncLazy(Generic[T]):
    """Makes a value in a thread, once; all who ask meanwhile wait for it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: list[T] = []
        self._lock = asyncio.Lock()

    @property
    def made(self) -> T | None:
        """The value, if anybody asked for it yet."""
        return self._values[0] if self._values else None

    async def get(self) -> T:
        """Return the value; what fails to be made is tried again by the next."""
        if not self._values:
            async with self._lock:
                if not self._values:
                    self._values.append(await asyncio.to_thread(self._make))
        return self._values[0]
