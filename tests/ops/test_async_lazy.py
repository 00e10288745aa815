"""A value that is made on first use."""

import asyncio
import threading

import pytest

from asdlc_kb.ops.async_lazy import AsyncLazy


async def test_a_value_is_made_once_in_a_thread() -> None:
    """However many await it at once."""
    made: list[threading.Thread] = []

    def make() -> object:
        made.append(threading.current_thread())
        return object()

    once = AsyncLazy(make)
    first, *others = await asyncio.gather(*(once.get() for _ in range(5)))
    assert all(other is first for other in others)
    assert await once.get() is first
    assert len(made) == 1
    assert made[0] is not threading.main_thread()


async def test_what_failed_is_tried_again() -> None:
    """The caller gets the error; the next one may succeed."""
    attempts = iter([ValueError("not yet"), None])

    def make() -> str:
        if error := next(attempts):
            raise error
        return "made"

    once = AsyncLazy(make)
    with pytest.raises(ValueError, match="not yet"):
        await once.get()
    assert await once.get() == "made"
