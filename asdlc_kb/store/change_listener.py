"""Listener for new snapshots: a poll each second, which notifications shorten.

The poll is the truth: a lost notification delays a snapshot by a second at most. An
outage is logged once; connecting is tried again until it succeeds.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Final, TypeAlias

from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable
from asdlc_kb.store.database import (
    BoundedAsyncConnection,
    StoreAddress,
    connect_async,
    translated_errors,
)
from asdlc_kb.store.schema import check_version
from asdlc_kb.store.snapshot_reader import NUMBERS

logger = logging.getLogger(__name__)

NumbersListener: TypeAlias = Callable[[Mapping[str, int]], Awaitable[None]]
"""Called with the current snapshot of each source, after every successful poll."""

POLL_SECONDS: Final = 1.0

ANSWER_SECONDS: Final = 2.0
"""Time limit of a poll."""

_MIN_PAUSE_SECONDS: Final = 0.1
_MAX_PAUSE_SECONDS: Final = 1.0
"""Pause between two attempts to connect."""

_VERSION: Final = "SELECT coalesce(version, 0) FROM asdlc_kb.schema_version"
_LISTEN: Final = "LISTEN asdlc_kb_snapshot"


class ChangeListener:
    """Polls the primary, which alone accepts LISTEN."""

    def __init__(self, address: StoreAddress, callback: NumbersListener) -> None:
        self._address = address.primary
        self._callback = callback
        self._is_outage_logged = False
        self._is_failure_logged = False
        """Whether a failure of the callback is."""

    async def run(self) -> None:
        """Poll until cancelled."""
        pause = _MIN_PAUSE_SECONDS
        while True:
            try:
                async with aclosing(self._poll()) as polls:
                    async for numbers in polls:
                        pause = _MIN_PAUSE_SECONDS
                        self._report_contact()
                        await self._process(numbers)
            except (StoreUnavailable, StoreMisconfigured) as error:
                self._report_outage(error)
            except Exception:
                if not self._is_outage_logged:
                    logger.exception("unexpected error on a connection to the store")
                self._is_outage_logged = True
            await asyncio.sleep(pause)
            pause = min(_MAX_PAUSE_SECONDS, 2 * pause)

    async def _poll(self) -> AsyncGenerator[dict[str, int], None]:
        """Yield the numbers at each poll over one connection, until it fails."""
        connection = await connect_async(
            self._address, statement_seconds=ANSWER_SECONDS
        )
        try:
            with translated_errors(self._address):
                cursor = await connection.execute(_VERSION)
                row = await cursor.fetchone()
                check_version(row[0] if row else 0, self._address)
                await connection.execute(_LISTEN)
                while True:
                    yield await _read_numbers(connection)
                    notified = connection.notifies(timeout=POLL_SECONDS, stop_after=1)
                    async for _ in notified:
                        pass
        finally:
            await connection.close()

    async def _process(self, numbers: Mapping[str, int]) -> None:
        """Call the callback; polling goes on if it fails."""
        try:
            await self._callback(numbers)
        except Exception:
            if not self._is_failure_logged:
                logger.exception("the snapshots of the store could not be processed")
            self._is_failure_logged = True
        else:
            self._is_failure_logged = False

    def _report_contact(self) -> None:
        """Log the end of an outage."""
        if self._is_outage_logged:
            logger.info("store reachable again")
        self._is_outage_logged = False

    def _report_outage(self, error: Exception) -> None:
        """Log the first failure of an outage."""
        if not self._is_outage_logged:
            logger.warning("store unreachable: %s", error)
        self._is_outage_logged = True


async def _read_numbers(connection: BoundedAsyncConnection) -> dict[str, int]:
    cursor = await connection.execute(NUMBERS)
    return dict(await cursor.fetchall())
