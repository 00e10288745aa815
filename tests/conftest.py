"""Fixtures of every test, and the canary scan over the whole run."""

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import hypothesis
import pytest
import tornado.ioloop
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import VERSIONS, Peer, connecting, open_app
from tornado.iostream import IOStream

from asdlc_kb.app import Runtime
from asdlc_kb.ops.logs.structured import JsonFormatter
from asdlc_kb.web.connections.direct_stream import DirectStream, Parts

SCANNER = Scanner()

# Examples are bounded in number, not in time: a busy machine must not fail a test.
hypothesis.settings.register_profile(
    "unhurried",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("unhurried")


class _LogTap(logging.Handler):
    """Scans every log line as it would be written."""

    def emit(self, record: logging.LogRecord) -> None:
        """Scan one line."""
        SCANNER.scan(self.format(record).encode(), "log")


def pytest_configure() -> None:
    """Install the scan at the outputs: every socket and every log line of the run."""
    # The server refuses keys and tokens that the group can write.
    os.umask(0o022)
    tap = _LogTap()
    tap.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(tap)
    logging.getLogger().setLevel(logging.DEBUG)
    for name in ("asyncio", "httpx", "httpcore", "markdown_it", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
    write, read = IOStream.write_to_fd, IOStream.read_from_fd
    send = DirectStream.send_parts

    def write_to_fd(self: IOStream, data: memoryview) -> int:
        SCANNER.scan(bytes(data), ("sent", id(self)))
        return write(self, data)

    def read_from_fd(self: IOStream, buf: bytearray | memoryview) -> int | None:
        count = read(self, buf)
        if count:
            SCANNER.scan(bytes(buf[:count]), ("received", id(self)))
        return count

    def send_parts(self: DirectStream, parts: Parts) -> None:
        SCANNER.scan(b"".join(parts), ("sent", id(self)))
        send(self, parts)

    IOStream.write_to_fd = write_to_fd  # type: ignore[method-assign]
    IOStream.read_from_fd = read_from_fd  # type: ignore[method-assign]
    DirectStream.send_parts = send_parts  # type: ignore[method-assign]


def pytest_collection_finish() -> None:
    """Exclude what collection created from garbage collection.

    It is many times what a server has, and each server of a test collects garbage.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep the indexes of this run apart from those of the developer."""
    home = tmp_path_factory.mktemp("caches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home))
        yield home


@pytest.fixture(autouse=True)
def scanner() -> Iterator[Scanner]:
    """Fail a test during which canary text leaves the server."""
    SCANNER.collect()
    yield SCANNER
    assert SCANNER.collect() == []


@pytest.fixture(autouse=True)
def io_loop() -> Iterator[tornado.ioloop.IOLoop]:
    """Give pytest-tornasync a loop, made the way current Tornado requires."""
    asyncio_loop = asyncio.new_event_loop()
    asyncio.set_event_loop(asyncio_loop)
    loop = tornado.ioloop.IOLoop(make_current=False, asyncio_loop=asyncio_loop)
    yield loop
    asyncio.set_event_loop(None)
    loop.close(all_fds=True)


@pytest.fixture
def knowledge(tmp_path: Path) -> KnowledgeBase:
    """A content folder with hidden articles in it, for the test to add to."""
    return KnowledgeBase(tmp_path / "content")


@pytest.fixture
def app(knowledge: KnowledgeBase) -> Runtime:
    """A loaded application over `knowledge` as it is when this is first used."""
    return open_app(knowledge)


Connect = Callable[[Runtime], AbstractAsyncContextManager[Peer]]


@pytest.fixture(
    params=[f"{transport}-{v}" for transport in ("http", "stdio") for v in VERSIONS]
)
def connect(request: pytest.FixtureRequest, scanner: Scanner) -> Connect:
    """Connect a peer to an application: once for each transport and version."""
    return connecting(request.param, scanner)
