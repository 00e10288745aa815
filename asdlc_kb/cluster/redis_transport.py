"""A transport and counter store between replicas over Redis or Valkey.

No request that can do without it waits for it. One connection sends, one subscribes;
queued commands are pipelined in order. After a fault nothing is sent until a reconnect
succeeds. Its data is not trusted beyond authenticated messages and numbers, and a
number is capped at its limit.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final, TypeAlias

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from asdlc_kb.cluster.envelope import count_dropped
from asdlc_kb.cluster.transport import (
    MAX_MESSAGE_BYTES,
    PeerUnreachable,
    Receive,
    random_name,
)

logger = logging.getLogger(__name__)

PREFIX: Final = "asdlc-kb:2:"
"""Prefix of every key and channel; the number is the version of the format."""

ANSWER_SECONDS: Final = 2.0
"""A connection without a reply for so long is closed."""

QUIET_SECONDS: Final = 5.0
"""After so long without a message the connection is checked with a ping."""

MIN_PAUSE_SECONDS: Final = 0.1
MAX_PAUSE_SECONDS: Final = 0.5
"""Between two attempts to connect."""

SETTLE_SECONDS: Final = 3.0
"""After so long all live peers have reconnected too."""

MAX_WAITING_BYTES: Final = 32 * 1024 * 1024
"""Bytes of queued commands."""

MAX_PIPELINED_COMMANDS: Final = 500
"""Commands in one pipeline."""

_MAX_SUMS: Final = MAX_PIPELINED_COMMANDS // 2
"""Sums of one job: each takes two commands."""

_STEADY_SECONDS: Final = 5.0
"""A connection that lasted so long had no permanent fault: reset the backoff."""

_CANCEL_SECONDS: Final = 0.1
"""A task that has not ended after so long missed its cancellation."""

_FAULTS: Final = (RedisError, OSError, TimeoutError)

RedisCommand: TypeAlias = tuple[str | bytes, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Commands that belong together, and the future of their results."""

    commands: Sequence[RedisCommand]
    size: int
    done: "asyncio.Future[list[Any]]"


class RedisTransport:
    """Messages and sums over one Redis."""

    def __init__(
        self,
        url: str,
        *,
        keep_seconds: int,
        name: str | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Counts expire `keep_seconds` after their last update.

        Raises ValueError for an invalid URL.
        """
        self.name = name or random_name()
        self._url = url
        self._keep_seconds = keep_seconds
        self._clock = clock
        self._take: Receive | None = None
        self._jobs: deque[_Job] = deque()
        self._waiting = 0
        self._has_jobs = asyncio.Event()
        self._connected: float | None = None
        """When the sending connection was opened; None while there is none."""
        self._is_away = False
        self.is_heard = asyncio.Event()
        """Set while messages can be received."""
        self._open()

    @property
    def is_connected(self) -> bool:
        """Whether the sending connection is open."""
        return self._connected is not None

    def listen(self, take: Receive) -> None:
        """Pass every received message to `take`."""
        self._take = take

    async def send(self, to: str, letter: bytes) -> bool:
        """Publish a message; False: no such subscriber; raise PeerUnreachable."""
        if len(letter) > MAX_MESSAGE_BYTES:
            raise PeerUnreachable(f"a message has more than {MAX_MESSAGE_BYTES} bytes")
        data = self.name.encode() + b"\0" + letter
        (heard_by,) = await self._execute([("PUBLISH", f"{PREFIX}mail:{to}", data)])
        if isinstance(heard_by, int) and heard_by > 0:
            return True
        since = self._connected
        if heard_by != 0 or since is None or self._clock() - since < SETTLE_SECONDS:
            raise PeerUnreachable("a peer may not have reconnected yet")
        return False

    async def exchange(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Add to sums; return them, without those that are not integers."""
        names = list(counted)
        parts = [names[i : i + _MAX_SUMS] for i in range(0, len(names), _MAX_SUMS)]
        adding = (self._add({name: counted[name] for name in part}) for part in parts)
        sums: dict[str, int] = {}
        for part in await asyncio.gather(*adding):
            sums.update(part)
        return sums

    async def run(self) -> None:
        """Maintain both connections until cancelled."""
        uses = (self._speak, self._hear)
        tasks = {asyncio.ensure_future(self._keep(use)) for use in uses}
        try:
            await asyncio.wait(tasks)
        finally:
            while tasks:
                for task in tasks:
                    # Repeat: the client swallows some cancellations.
                    task.cancel()
                _, tasks = await asyncio.wait(tasks, timeout=_CANCEL_SECONDS)

    async def _add(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        commands: list[RedisCommand] = []
        for key, number in counted.items():
            name = f"{PREFIX}sum:{key}"
            commands.append(("INCRBY", name, str(number)))
            commands.append(("EXPIRE", name, str(self._keep_seconds)))
        results = await self._execute(commands)
        sums = dict(zip(counted, results[::2], strict=True))
        read = {key: total for key, total in sums.items() if isinstance(total, int)}
        for _ in range(len(sums) - len(read)):
            count_dropped("sum")
        return read

    async def _execute(self, commands: list[RedisCommand]) -> list[Any]:
        """Return the results of commands, including errors of single ones."""
        if self._connected is None:
            raise PeerUnreachable("Redis unreachable")
        size = sum(len(part) for command in commands for part in command)
        if self._waiting + size > MAX_WAITING_BYTES:
            raise PeerUnreachable("too many bytes wait for Redis")
        done = asyncio.get_running_loop().create_future()
        self._jobs.append(_Job(commands, size, done))
        self._waiting += size
        self._has_jobs.set()
        result: list[Any] = await done
        return result

    async def _keep(self, use: Callable[[Redis], Awaitable[None]]) -> None:
        """Reconnect whenever a connection fails, with exponential backoff."""
        pause = MIN_PAUSE_SECONDS
        while True:
            began = self._clock()
            try:
                async with self._open() as client:
                    await use(client)
            except _FAULTS as error:
                self._tell_away(error)
            except Exception:
                logger.exception("unexpected error on a connection to Redis")
            if self._clock() - began > _STEADY_SECONDS:
                pause = MIN_PAUSE_SECONDS
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_SECONDS, 2 * pause)

    def _open(self) -> Redis:
        return Redis.from_url(
            self._url,
            protocol=2,
            decode_responses=False,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    async def _speak(self, client: Redis) -> None:
        """Send queued commands until the connection fails."""
        try:
            await client.ping()
            self._connected = self._clock()
            self._tell_back()
            while True:
                if not self._jobs:
                    await self._wait_for_jobs(client)
                await self._send_jobs(client)
        finally:
            self._connected = None
            while self._jobs:
                _fail(self._jobs.popleft())
            self._waiting = 0

    async def _wait_for_jobs(self, client: Redis) -> None:
        """Wait for commands, and ping an idle connection."""
        self._has_jobs.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIET_SECONDS):
                await self._has_jobs.wait()
        if not self._jobs:
            await client.ping()

    async def _send_jobs(self, client: Redis) -> None:
        """Send queued commands as a pipeline, and set their results."""
        jobs: list[_Job] = []
        count = 0
        while self._jobs and count < MAX_PIPELINED_COMMANDS:
            jobs.append(self._jobs.popleft())
            count += len(jobs[-1].commands)
        if not jobs:
            return
        try:
            pipeline = client.pipeline(transaction=False)
            for job in jobs:
                for command in job.commands:
                    pipeline.execute_command(*command)
            results = iter(await pipeline.execute(raise_on_error=False))
        except BaseException:
            for job in jobs:
                _fail(job)
            raise
        for job in jobs:
            self._waiting -= job.size
            found = [next(results) for _ in job.commands]
            if not job.done.done():
                job.done.set_result(found)

    async def _hear(self, client: Redis) -> None:
        """Receive messages until the connection fails."""
        async with client.pubsub() as pubsub:
            await pubsub.subscribe(f"{PREFIX}mail:{self.name}")
            try:
                while True:
                    self._take_message(await _read(pubsub))
            finally:
                self.is_heard.clear()
                # Wake the sender: it does not notice the fault by itself.
                self._has_jobs.set()

    def _take_message(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"type": "subscribe"}:
                self.is_heard.set()
                self._tell_back()
            case {"type": "message", "data": bytes(data)} if self._take is not None:
                sender, _, letter = data.partition(b"\0")
                self._take(sender.decode("ascii", "replace"), letter)

    def _tell_away(self, error: BaseException) -> None:
        """Log the first of many failures, without its text: it may contain a secret."""
        if not self._is_away:
            self._is_away = True
            reason = type(error.__cause__ or error).__name__
            logger.warning("Redis unreachable", extra={"reason": reason})

    def _tell_back(self) -> None:
        """Log that both connections are open again."""
        if self._is_away and self.is_connected and self.is_heard.is_set():
            self._is_away = False
            logger.warning("Redis reachable again")


def _fail(job: _Job) -> None:
    if not job.done.done():
        job.done.set_exception(PeerUnreachable("Redis closed the connection"))


async def _read(pubsub: PubSub) -> Mapping[str, Any]:
    """Return the next message; ping after a while without one."""
    message: Mapping[str, Any] | None
    message = await pubsub.get_message(timeout=QUIET_SECONDS)
    if message is None:
        await pubsub.ping()
        message = await pubsub.get_message(timeout=ANSWER_SECONDS)
    if message is None:
        raise TimeoutError
    return message
