"""Listener for new snapshots: a poll each second, which notifications shorten.

The poll is the truth: a lost notification delays a snapshot by a second at most. An
outage is logged once; connecting is tried again until it succeeds.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from time import monotonic
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

NumbersListener: TypeAlias = Callable[[Mapping[str, int]], None]
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

    def __init__(
        self,
        address: StoreAddress,
        callback: NumbersListener,
        *,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._address = address.primary
        self._callback = callback
        self._clock = clock
        self.is_reachable = False
        """Whether the last attempt to poll succeeded."""
        self.last_contact: float | None = None
        """When a poll succeeded last, by the clock; None if none did."""
        self._is_outage_logged = False

    async def run(self) -> None:
        """Poll until cancelled."""
        pause = _MIN_PAUSE_SECONDS
        while True:
            contact = self.last_contact
            try:
                await self._follow()
            except (StoreUnavailable, StoreMisconfigured) as error:
                self._report_outage(error)
            except Exception:
                self.is_reachable = False
                logger.exception("unexpected error on a connection to the store")
            if self.last_contact != contact:
                pause = _MIN_PAUSE_SECONDS
            await asyncio.sleep(pause)
            pause = min(_MAX_PAUSE_SECONDS, 2 * pause)

    async def _follow(self) -> None:
        """Poll over one connection until it fails."""
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
                    self._report(await _read_numbers(connection))
                    notified = connection.notifies(timeout=POLL_SECONDS, stop_after=1)
                    async for _ in notified:
                        pass
        finally:
            await connection.close()

    def _report(self, numbers: Mapping[str, int]) -> None:
        if self._is_outage_logged:
            logger.info("store reachable again")
        self._is_outage_logged = False
        self.is_reachable = True
        self.last_contact = self._clock()
        self._callback(numbers)

    def _report_outage(self, error: Exception) -> None:
        """Log the first failure of an outage."""
        self.is_reachable = False
        if not self._is_outage_logged:
            logger.warning("store unreachable: %s", error)
        self._is_outage_logged = True


async def _read_numbers(connection: BoundedAsyncConnection) -> dict[str, int]:
    cursor = await connection.execute(NUMBERS)
    return dict(await cursor.fetchall())
