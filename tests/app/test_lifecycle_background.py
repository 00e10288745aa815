"""Background tasks of a server: one that fails ends it, and a manager restarts it."""

import asyncio
import os
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.peers import BOUND
from support.processes import UNLIMITED, start_command

from asdlc_kb.app import Runtime, build, serve, serve_stdio
from asdlc_kb.app import lifecycle as module
from asdlc_kb.app.wiring import rebuild
from asdlc_kb.ops.metrics.definitions import STORE_UPDATES, MetricKey
from asdlc_kb.settings import Settings

BROKEN = (
    sys.executable,
    "-c",
    "from asdlc_kb.files.watcher import Watcher\n"
    "async def run(self):\n"
    "    raise OSError(24, 'Too many open files')\n"
    "Watcher.run = run\n"
    "from asdlc_kb.cli import main\nmain()",
)
"""The command, with watchers that fail at once."""


class FollowError(Exception):
    """Raised by a background task."""


class Failing:
    """Background work that fails at once."""

    async def run(self) -> None:
        """Fail."""
        raise FollowError


class Waiting:
    """Background work that goes on."""

    async def run(self) -> None:
        """Wait until cancelled."""
        await asyncio.Event().wait()


def fail(*_: object) -> bool:
    """Fail as the state of a store that cannot be read."""
    raise FollowError


def break_watcher(app: Runtime) -> Runtime:
    """Return an application with a watcher that fails."""
    return replace(app, watchers=(Failing(),))  # type: ignore[arg-type]


def break_mirror_writer(app: Runtime) -> Runtime:
    """Return an application with a store whose mirrors cannot be written."""
    return replace(app, store=open_store(Failing(), lambda *_: False))


def break_store(app: Runtime) -> Runtime:
    """Return an application with a store that cannot be followed."""
    return replace(app, store=open_store(Waiting(), fail))


def open_store(writer: object, is_outdated: Callable[..., bool]) -> Any:
    """Return a store with a writer, without any change."""
    return SimpleNamespace(
        open_writer=lambda record: writer,
        is_outdated=is_outdated,
        has_changed=lambda served: False,
        run=lambda followers: Waiting().run(),
    )


@pytest.mark.parametrize("damage", [break_watcher, break_mirror_writer, break_store])
async def test_a_server_drains_and_fails(
    knowledge: KnowledgeBase, damage: Callable[[Runtime], Runtime]
) -> None:
    """Whichever of its tasks fails."""
    app = damage(build(Settings(content=str(knowledge.root), port=0)))
    ports: list[int] = []
    with pytest.raises(FollowError):
        await asyncio.wait_for(serve(app, ports.append), BOUND)
    with socket.socket() as closed:
        assert closed.connect_ex(("127.0.0.1", ports[0])) != 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("damage", [break_watcher, break_mirror_writer])
async def test_a_server_over_stdio_fails(
    knowledge: KnowledgeBase, damage: Callable[[Runtime], Runtime]
) -> None:
    """Although the client keeps the pipe open."""
    app = damage(build(Settings(content=str(knowledge.root)), is_local=True))
    source, given = os.pipe()
    with pytest.raises(FollowError):
        await asyncio.wait_for(serve_stdio(app, source, given), BOUND)
    os.close(source)
    os.close(given)


async def test_tasks_after_a_reload_end_the_same_process(
    knowledge: KnowledgeBase,
) -> None:
    """Of other content, and of other settings."""
    app = build(Settings(content=str(knowledge.root)))
    for settings in (app.settings, Settings(content=str(knowledge.root), poll=True)):
        assert rebuild(app, settings).background is app.background


async def test_updates_of_mirrors_are_counted_on_the_event_loop(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both outcomes from the start; the writer reports them from its thread."""
    app = build(Settings(content=str(knowledge.root)))
    metrics, threads = app.telemetry.metrics, []
    count = metrics.count

    def count_here(key: MetricKey, number: int = 1) -> None:
        threads.append(threading.current_thread())
        count(key, number)

    async def write(record: Callable[[str], None]) -> None:
        await asyncio.to_thread(record, "error")

    writers = SimpleNamespace(
        open_writer=lambda record: SimpleNamespace(run=partial(write, record))
    )
    monkeypatch.setattr(metrics, "count", count_here)
    (writing,) = module._follow_store(replace(app, store=writers))  # type: ignore[arg-type]
    names = [f"{STORE_UPDATES.name}\t{outcome}" for outcome in ("ok", "error")]
    assert [metrics.read()[name] for name in names] == [0, 0]
    await asyncio.wait_for(writing, BOUND)
    await asyncio.sleep(0)
    assert [metrics.read()[name] for name in names] == [0, 1]
    assert set(threads) == {threading.main_thread()}


def test_the_process_exits_with_a_failure(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Code 1, and a line in the log."""
    options = ("serve", knowledge.root, *UNLIMITED, "--cache-dir", "off")
    folder = knowledge.root.parent
    with start_command(*BROKEN, *options, scanner=scanner, cwd=folder) as running:
        finished = running.wait()
        assert finished.code == 1
        assert "background task failed" in finished.err
