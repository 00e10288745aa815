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
        self.banners: list[str] = []
        self.broker = ParentBroker(self.banners.append, count=2)
        self.links: list[WorkerLink] = []
        self.is_deaf = False
        self._channels: list[socket.socket] = []

    async def join(self) -> WorkerChannel:
        """Return another worker's end, open."""
        parent, child = socket.socketpair()
        parent.setblocking(False)
        link = self.broker.connect(len(self.links), parent)
        self.links.append(link)
        self._channels.append(parent)
        asyncio.get_running_loop().add_reader(parent, self._read, parent, link)
        worker = WorkerChannel(child)
        await worker.open()
        return worker

    def die(self) -> None:
        """Close all channels."""
        while self._channels:
            asyncio.get_running_loop().remove_reader(self._channels.pop())
        for link in self.links:
            link.close()

    def _read(self, channel: socket.socket, link: WorkerLink) -> None:
        if self.is_deaf:
            return
        if not link.read():
            asyncio.get_running_loop().remove_reader(channel)
            self._channels.remove(channel)
            link.close()
        self.flush()

    def flush(self) -> None:
        """Send what waits."""
        for each in self.links:
            while each.wants_to_write:
                each.write()


@asynccontextmanager
async def with_broker() -> AsyncIterator[tuple[Parent, WorkerChannel, WorkerChannel]]:
    """Yield a parent and two workers that are ready."""
    parent = Parent()
    first, second = await parent.join(), await parent.join()
    for worker in (first, second):
        worker.notify_ready("served")
    await until(lambda: bool(parent.banners))
    try:
        yield parent, first, second
    finally:
        parent.die()
        await first.close()
        await second.close()
