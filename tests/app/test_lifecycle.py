"""Lifecycle of a server: loading, serving, stopping."""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.canary import Scanner
from support.files import save_in_place
from support.inherited import Manager
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.peers import (
    BOUND,
    VERSIONS,
    http_peer,
    stdio_peer,
)
from support.processes import BOUND as PROCESS_BOUND
from support.processes import serve_process
from support.site import articles_of
from support.wire import ask
from support.workspace import make_workspace

from asdlc_kb.app import (
    Runtime,
    build,
    serve,
    serve_stdio,
)
from asdlc_kb.app import lifecycle as module
from asdlc_kb.mcp.subscriptions.events import ResourceUpdated
from asdlc_kb.settings import Settings

STATELESS = VERSIONS[-1]


class Told:
    """Records the notifications of a server to its service manager."""

    pause = None

    def __init__(self) -> None:
        self.told: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: self.told.append(name.removeprefix("notify_"))


@asynccontextmanager
async def living(app: Runtime) -> AsyncIterator[tuple[int, "asyncio.Task[None]"]]:
    """Run `serve` in this process; yield the announced port."""
    announced: asyncio.Queue[int] = asyncio.Queue()
    running = asyncio.ensure_future(serve(app, announced.put_nowait))
    port = await asyncio.wait_for(announced.get(), BOUND)
    try:
        yield port, running
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(running, BOUND)
        names = {repr(task.get_coro()) for task in asyncio.all_tasks()}
        assert not [name for name in names if "Watcher" in name]


async def test_serving_announces_its_port_and_ends_on_sigterm(
    knowledge: KnowledgeBase, caplog: pytest.LogCaptureFixture
) -> None:
    """D-131: port 0 picks a free port. D-094: SIGTERM drains. The log has the end."""
    caplog.set_level(logging.INFO)
    app = build(Settings(content=str(knowledge.root), port=0))
    async with living(app) as (port, running):
        answer = await ask(port, "GET", "/ready")
        assert (answer.status, answer.json) == (200, {"ready": True})
        assert not running.done()
    with socket.socket() as left:
        assert left.connect_ex(("127.0.0.1", port)) != 0
    assert caplog.messages[-2:] == ["stopping", "stopped"]


async def test_content_is_loaded_before_the_port_is_announced(
    knowledge: KnowledgeBase,
) -> None:
    """A client that connects at once finds the articles."""
    app = build(Settings(content=str(knowledge.root), port=0))
    async with living(app):
        assert len(articles_of(app).catalog.articles) == VISIBLE_COUNT


async def test_a_content_folder_without_articles_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its operator learns it at the start; no client does."""
    save_in_place(tmp_path / "index.md", "---\nstatus: Live\n---\n# Welcome\n")
    app = build(Settings(content=str(tmp_path), port=0))
    async with living(app):
        (hint,) = (m for m in caplog.messages if "--docs DIR" in m)
    assert hint.startswith("no article is served")


async def test_a_project_is_looked_at_before_the_port_is_announced(
    tmp_path: Path,
) -> None:
    """Changes after the first possible request are notified, earlier ones are not."""
    root = make_workspace(tmp_path / "shop")
    # No watcher: all there is to compare with is the look made at the start.
    app = replace(build(Settings(project=(str(root),), port=0)), watchers=())
    (news,) = app.project_notifiers
    told: list[object] = []
    news.listen(told.extend)
    async with living(app):
        save_in_place(root / "AGENTS.md", "# Other\n")
        news.publish(news.watch.scan())
    uris = ("ace://agents-md", "ace://guides/AGENTS.md")
    assert told == [ResourceUpdated(uri) for uri in uris]


class SlowSource:
    """Content that loads until the test lets it finish."""

    def __init__(self) -> None:
        self.started, self.released = threading.Event(), threading.Event()

    def load(self) -> None:
        """Load until released."""
        self.started.set()
        assert self.released.wait(BOUND)

    def beside(self, app: Runtime) -> Runtime:
        """Return an application that has to load this too."""
        return replace(app, project_notifiers=(*app.project_notifiers, self))  # type: ignore[arg-type]

    async def begin(self) -> None:
        """Wait until it is loaded."""
        assert await asyncio.to_thread(self.started.wait, BOUND)


async def test_sigterm_ends_a_server_that_still_loads(knowledge: KnowledgeBase) -> None:
    """It ends without an error or a report of readiness, and its port is free."""
    slow = SlowSource()
    announced: list[object] = []
    app = slow.beside(build(Settings(content=str(knowledge.root), port=0)))
    sockets = module.listen(app.settings)
    port = sockets[0].getsockname()[1]
    notifier = Told()
    running = asyncio.ensure_future(
        module.serve_sockets(app, sockets, announced.append, None, notifier=notifier)
    )
    await slow.begin()
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(running, BOUND)
    slow.released.set()
    assert announced == []
    assert notifier.told == ["stopping"]
    with socket.socket() as left:
        assert left.connect_ex(("127.0.0.1", port)) != 0


async def test_sighup_to_a_server_that_still_loads_is_done_later(
    knowledge: KnowledgeBase,
) -> None:
    """D-095: settings are read again as soon as there is something to reload."""
    slow, told = SlowSource(), asyncio.Queue[object]()
    settings = Settings(content=str(knowledge.root), port=0)
    app = slow.beside(build(settings))
    loop = asyncio.get_running_loop()

    def read() -> Settings:
        loop.call_soon_threadsafe(told.put_nowait, "read")
        return settings

    running = asyncio.ensure_future(serve(app, told.put_nowait, read))
    await slow.begin()
    os.kill(os.getpid(), signal.SIGHUP)
    assert told.empty()
    slow.released.set()
    assert isinstance(await asyncio.wait_for(told.get(), BOUND), int)
    assert await asyncio.wait_for(told.get(), BOUND) == "read"
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(running, BOUND)


async def test_sigterm_ends_a_peer_s_server_that_still_loads(
    knowledge: KnowledgeBase,
) -> None:
    """The same over stdio: its input is not read."""
    slow = SlowSource()
    app = slow.beside(build(Settings(content=str(knowledge.root)), is_local=True))
    running = asyncio.ensure_future(serve_stdio(app, -1, -1))
    await slow.begin()
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(running, BOUND)
    slow.released.set()


async def test_content_that_cannot_be_loaded_ends_the_start(
    knowledge: KnowledgeBase,
) -> None:
    """A failure is reported, not waited for."""
    app = build(Settings(content=str(knowledge.root), port=0))
    notifier: Any = SimpleNamespace(load=lambda: 1 / 0)
    broken = replace(app, project_notifiers=(notifier,))
    with pytest.raises(ZeroDivisionError):
        await serve_stdio(broken, -1, -1)


async def test_a_change_on_disk_is_seen_while_serving(knowledge: KnowledgeBase) -> None:
    """D-063: the watcher runs while it serves; without events it takes 2 s."""
    app = build(Settings(content=str(knowledge.root), port=0))
    async with living(app) as (port, _):
        knowledge.write("concepts/new")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + BOUND
        while (await ask(port, "GET", "/health")).json["articles"] == VISIBLE_COUNT:
            assert loop.time() < deadline, "the new article was never noticed"
        assert articles_of(app).catalog.find("new").id == "concepts/new"


@pytest.mark.parametrize("version", VERSIONS)
async def test_both_doors_offer_the_same(
    app: Runtime, scanner: Scanner, version: str
) -> None:
    """All transports ask the same domain objects."""
    async with http_peer(app, version) as peer:
        over_http = await peer.result("tools/list")
    async with stdio_peer(app, version, scanner) as other:
        over_stdio = await other.result("tools/list")
    assert over_http == over_stdio


CLAIM = """
import os
from asdlc_kb.app import claim_stdout
private = claim_stdout()
print("a stray print", flush=True)
os.system("echo a child speaks")
os.write(private, b"the protocol")
"""


def test_a_stray_print_cannot_break_the_protocol() -> None:
    """The specification, basic/transports, stdio: nothing else on stdout."""
    done = subprocess.run(
        [sys.executable, "-c", CLAIM],
        capture_output=True,
        timeout=PROCESS_BOUND,
        check=True,
    )
    assert done.stdout == b"the protocol"
    assert done.stderr == b"a stray print\na child speaks\n"


@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_runs_on_uvloop_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    """The extra `fast`: used if installed, never required."""
    loops: list[str] = []

    async def note_loop() -> None:
        loops.append(type(asyncio.get_running_loop()).__module__)

    stub = SimpleNamespace(new_event_loop=uvloop_stub)
    monkeypatch.setitem(sys.modules, "uvloop", stub if is_there else None)
    module.run(note_loop())
    assert loops == [__name__ if is_there else "asyncio.unix_events"]


class StubLoop(asyncio.SelectorEventLoop):
    """Replaces the loop of a package that may not be installed."""


def uvloop_stub() -> asyncio.AbstractEventLoop:
    """Return a loop as uvloop does."""
    return StubLoop()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which a service manager listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(PROCESS_BOUND)
        yield listening


def hear(manager: socket.socket) -> str:
    """Return the next notification other than a keepalive."""
    while (told := manager.recv(4096).decode()) == "WATCHDOG=1":
        pass
    return told.partition("\n")[0]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_service_manager_is_told_what_the_server_does(
    knowledge: KnowledgeBase, scanner: Scanner, manager: socket.socket, workers: str
) -> None:
    """systemd.service, Type=notify-reload: ready, again after each reload, stopping."""
    env = {"NOTIFY_SOCKET": manager.getsockname()}
    options = ("--workers", workers, "--cache-dir", "off")
    with serve_process(knowledge.root, *options, scanner=scanner, env=env) as served:
        assert hear(manager) == "READY=1"
        for _ in range(2):
            served.running.signal(signal.SIGHUP)
            assert [hear(manager), hear(manager)] == ["RELOADING=1", "READY=1"]
        assert served.stop().code == 0
        assert hear(manager) == "STOPPING=1"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_service_manager_is_given_signs_of_life(
    knowledge: KnowledgeBase, scanner: Scanner, manager: socket.socket, workers: str
) -> None:
    """systemd.service, WatchdogSec: repeatedly, while the loop runs."""
    env = {"NOTIFY_SOCKET": manager.getsockname(), "WATCHDOG_USEC": "100000"}
    options = ("--workers", workers, "--cache-dir", "off")
    with serve_process(knowledge.root, *options, scanner=scanner, env=env):
        for _ in range(3):
            while manager.recv(4096) != b"WATCHDOG=1":
                pass


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_a_socket_that_is_a_file_is_served_if_it_is_inherited(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path, workers: str
) -> None:
    """systemd.socket, ListenStream=/run/...: for a proxy on the same machine."""
    path = str(tmp_path / "web")
    options = ("--workers", workers, "--cache-dir", "off")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        with Manager(listening, scanner).serve(knowledge.root, options) as served:
            assert served.port == 0
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            first = await asyncio.wait_for(reader.readline(), BOUND)
            assert first == b"HTTP/1.1 200 OK\r\n"
            writer.close()
            await writer.wait_closed()
