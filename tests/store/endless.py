"""Coroutines that run until they are cancelled."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from support.wire import BOUND


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run a coroutine until the block ends, and not less long."""
    task = asyncio.ensure_future(work)
    try:
        yield
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)
        assert task.done()
