"""What every test of several processes leaves behind: nothing."""

import asyncio
from collections.abc import Iterator

import pytest
from tornado.ioloop import IOLoop


@pytest.fixture(autouse=True)
def ended(io_loop: IOLoop) -> Iterator[None]:
    """End what still goes on, so that no later test hears of it."""
    yield

    async def end() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    io_loop.run_sync(end, timeout=60)
