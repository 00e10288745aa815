"""The other processes of the same server: sessions and limits are one over all of them.

Loaded only where there are others.
"""

import asyncio
from typing import Final

from asdlc_kb.app.wiring import App
from asdlc_kb.cluster.mail import Mail
from asdlc_kb.cluster.relay import LetterRelay
from asdlc_kb.mcp.audience import Audience
from asdlc_kb.mcp.relay import SessionIds
from asdlc_kb.mcp.sessions import Sessions
from asdlc_kb.ops.rates import Meter
from asdlc_kb.ops.sharing import Sharing, Sums

KEY_BYTES: Final = 32
"""Of a key that is made at the start, and known to nobody but these processes."""


class Company:
    """Makes one process one of several."""

    def __init__(self, mail: Mail, sums: Sums, key: bytes) -> None:
        self._mail = mail
        self._sums = sums
        self._key = key
        self._relay: LetterRelay | None = None
        self._caring: asyncio.Task[None] | None = None
        self._meters: tuple[Meter, ...] = ()
        self._sharing: asyncio.Task[None] | None = None

    def open_audience(self) -> Audience:
        """Return an audience whose sessions any of the processes can find."""
        ids = SessionIds(self._mail.name, self._key)
        return Audience(Sessions(make_id=ids.make))

    def follow(self, app: App) -> None:
        """Have the others ask this application, and it them, from now on."""
        if self._relay is None:
            self._relay = LetterRelay(app.server, self._mail, self._key)
            self._caring = asyncio.ensure_future(self._relay.run())
        self._relay.serve(app.server)
        app.server.relay = self._relay
        if app.limits.meters != self._meters:
            self._meters = app.limits.meters
            _cancel(self._sharing)
            sharing = Sharing(self._meters, self._sums)
            self._sharing = asyncio.ensure_future(sharing.run())

    async def leave(self) -> None:
        """End what the others have of this process, and it of them."""
        for task in (self._sharing, self._caring):
            _cancel(task)
        if self._relay is not None:
            await self._relay.stop()


def _cancel(task: "asyncio.Task[None] | None") -> None:
    if task is not None:
        task.cancel()
