"""A real redis-server for one test, with a password, on its own socket."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from redis import Redis

from support.processes import BOUND, Running
from support.proxy import find_program

PASSWORD: Final = "a-password-that-no-log-may-have"


class RedisServer:
    """Starts, stops, disturbs and queries it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "redis.sock"
        self._errors = tempfile.TemporaryFile()
        self._running: Running | None = None

    @property
    def url(self) -> str:
        """Its URL, as in the settings."""
        return f"unix://:{PASSWORD}@{self.socket}?db=0"

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        options = {
            "--port": "0",
            "--unixsocket": str(self.socket),
            "--requirepass": PASSWORD,
            "--save": "",
            "--appendonly": "no",
            "--dir": str(self.folder),
        }
        words = (word for pair in options.items() for word in pair)
        process = subprocess.Popen(
            [find_program("redis-server"), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self._running = running = Running(process, self._errors)
        while line := running.read_line():
            if b"eady to accept connections" in line:
                return
        raise AssertionError(f"redis-server ended: {running.written!r}")

    def end(self) -> None:
        """Kill it."""
        if self._running is not None:
            self._running.signal(signal.SIGKILL)
            self._running.process.wait(BOUND)
            self._running.close_stdout()
            self._running = None

    def close(self) -> None:
        """Delete its files."""
        self._errors.close()

    def signal(self, number: int) -> None:
        """Send it a signal."""
        assert self._running is not None
        self._running.signal(number)

    def ask(self, *command: str | int) -> Any:
        """Return its reply to a command."""
        with Redis.from_url(self.url, socket_timeout=BOUND) as client:
            return client.execute_command(*command)


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    """Run one until the block ends."""
    # The path of a Unix socket is limited in length.
    folder = Path(tempfile.mkdtemp(prefix="kb-redis-"))
    server = RedisServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.end()
        server.close()
        shutil.rmtree(folder)
