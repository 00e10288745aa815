"""Background tasks of a server: the failure of one stops the process."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

logger = logging.getLogger(__name__)


class BackgroundTasks:
    """Starts tasks that end by cancellation, or return because there is no more to do.

    Each retries after the failures that it expects. After any other one the server
    would serve old content while its probes succeed. So it stops, and its supervisor or
    service manager restarts it.
    """

    def __init__(self) -> None:
        self.failed = asyncio.Event()
        """Set once a task has failed."""
        self._failure: BaseException | None = None

    def start(
        self, works: Iterable[Coroutine[Any, Any, None]]
    ) -> tuple[asyncio.Task[None], ...]:
        """Start tasks; the caller cancels them."""
        tasks = tuple(map(asyncio.ensure_future, works))
        for task in tasks:
            task.add_done_callback(self._check)
        return tasks

    @asynccontextmanager
    async def running(self, *works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
        """Run tasks within the context."""
        tasks = self.start(works)
        try:
            yield
        finally:
            await cancel_tasks(tasks)

    def raise_failure(self) -> None:
        """Raise the exception of the first task that failed, if one has."""
        if self._failure is not None:
            raise self._failure

    def _check(self, task: asyncio.Task[None]) -> None:
        if task.cancelled() or (error := task.exception()) is None:
            return
        name = getattr(task.get_coro(), "__qualname__", "")
        logger.critical("background task failed", exc_info=error, extra={"task": name})
        self._failure = self._failure or error
        self.failed.set()


async def cancel_tasks(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
