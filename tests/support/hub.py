"""Workers of one broker, all on the loop of a test."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from asdlc_kb.cluster.parent_broker import ParentBroker, WorkerLink
from asdlc_kb.cluster.worker_channel import WorkerChannel
from support.wire import until


class Parent:
    """A broker with channels that the loop of the test reads and writes."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.hub = ParentBroker(self.told.append, count=2)
        self.lines: list[WorkerLink] = []
        self.is_deaf = False
        self._channels: list[socket.socket] = []

    async def join(self) -> WorkerChannel:
        """Return another worker's end, open."""
        parent, child = socket.socketpair()
        parent.setblocking(False)
        line = self.hub.connect(len(self.lines), parent)
        self.lines.append(line)
        self._channels.append(parent)
        asyncio.get_running_loop().add_reader(parent, self._read, parent, line)
        spoke = WorkerChannel(child)
        await spoke.open()
        return spoke

    def die(self) -> None:
        """Close all channels."""
        while self._channels:
            asyncio.get_running_loop().remove_reader(self._channels.pop())
        for line in self.lines:
            line.close()

    def _read(self, channel: socket.socket, line: WorkerLink) -> None:
        if self.is_deaf:
            return
        if not line.read():
            asyncio.get_running_loop().remove_reader(channel)
            self._channels.remove(channel)
            line.close()
        self.flush()

    def flush(self) -> None:
        """Send what waits."""
        for each in self.lines:
            while each.wants_to_write:
                each.write()


@asynccontextmanager
async def on_hub() -> AsyncIterator[tuple[Parent, WorkerChannel, WorkerChannel]]:
    """Yield a parent and two workers that are ready."""
    parent = Parent()
    first, second = await parent.join(), await parent.join()
    for spoke in (first, second):
        spoke.notify_ready("served")
    await until(lambda: bool(parent.told))
    try:
        yield parent, first, second
    finally:
        parent.die()
        await first.close()
        await second.close()
