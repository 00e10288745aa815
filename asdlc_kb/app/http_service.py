"""A server over HTTP, and how other settings come into force while it serves.

What it is made of is replaced at once: each request is answered by one application from
start to end, and clients keep their connections, sessions and streams.
"""

import asyncio
import logging
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from asdlc_kb.app.sources import find_index
from asdlc_kb.app.wiring import Runtime, open_door, open_guard, rebuild
from asdlc_kb.exceptions import KnowledgeBaseError, OperationalError
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ToolsChanged,
)
from asdlc_kb.ops.logs.structured import set_level
from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.ops.process.allocator import gc_frozen, limit_malloc_arenas, refreeze_gc
from asdlc_kb.providers.articles.events import publish_changes
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.web.http_server import HttpServer
from asdlc_kb.web.mcp.fast_path import FastPath
from asdlc_kb.web.monitoring.metrics import read_levels
from asdlc_kb.web.routes import make_application

if TYPE_CHECKING:
    from asdlc_kb.cluster.membership import ClusterMembership
    from asdlc_kb.cluster.pooled_metrics import PooledMetrics

logger = logging.getLogger(__name__)

SWITCH_SECONDS: Final = 0.001
"""A thread that computes lets the loop in after so long; it asks several times for each
request, and Python's 5 ms would be felt."""

SETTLE_SECONDS: Final = 10.0
"""After so long, hardly anybody uses what was replaced."""

FIXED: Final = ("host", "port", "workers", "redis_url", "session_key_file")
"""Settings of what a running process cannot be made of anew."""

_ANYTHING: Final[tuple[Event, ...]] = (
    ToolsChanged(),
    PromptsChanged(),
    ResourcesChanged(),
)


class HttpService:
    """Serves an application that is loaded until it is given another one."""

    def __init__(
        self,
        app: Runtime,
        sockets: list[socket.socket],
        company: "ClusterMembership | None" = None,
        figures: "PooledMetrics | None" = None,
    ) -> None:
        self.app = app
        self._company = company
        if company is not None:
            company.follow(app.server, app.admission.limits.meters)
        door = open_door(app)
        self._front = FastPath(make_application(door), door)
        guard = open_guard(app)
        self._web = HttpServer(
            self._front,
            sockets,
            door.state,
            guard,
            is_shared=app.settings.workers > 1,
        )
        self._work = start_work(app)
        if figures is not None:
            door.state.figures = figures
            figures.measure = lambda: read_levels(self._front.door)

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._web.port

    async def reload(self, read: Callable[[], Settings]) -> bool:
        """Put settings into force that are read now; False if they are refused.

        Refused settings are told in the log, and change nothing.
        """
        try:
            settings = await asyncio.to_thread(read)
            warn_of_fixed(self.app.settings, settings)
            app = rebuild(self.app, preserve_restart_only(self.app.settings, settings))
            await self._prepare(app)
        except KnowledgeBaseError as error:
            logger.error("reload refused", extra={"reason": str(error)})
        except Exception:
            logger.exception("reload failed")
        else:
            await self._replace(app)
            metrics.note_reload("ok")
            logger.info("reloaded")
            return True
        metrics.note_reload("error")
        return False

    async def stop(self) -> None:
        """Finish what is under way, and end."""
        await self._web.drain()
        if self._company is not None:
            await self._company.leave()
        await stop_work(self.app, self._work)

    async def _prepare(self, app: Runtime) -> None:
        """Start an application in place of the one before; raise OperationalError."""
        if app.sources is self.app.sources:
            return
        require_folders(app)
        await load(app)
        for source in app.corpus:
            if source.catalog.snapshot.is_missing:
                raise _miss_folder(source.root)
        try:
            for indexer in _own_indexers(app, self.app):
                if not indexer.is_lazy:
                    await indexer.ready()
        except BaseException:
            await _stop_indexers(app)
            raise

    async def _replace(self, app: Runtime) -> None:
        """Answer with another application from now on."""
        before, work = self.app, self._work
        is_other = app.sources is not before.sources
        if is_other:
            # An index has one keeper. Searches go on in the one that it leaves.
            await _stop_indexers(before)
        if is_other and (site := before.website.made) and site.live:
            site.live.end()
        door = replace(open_door(app), state=self._front.door.state)
        door.state.bearer = door.bearer
        if door.bearer is not None:
            door.state.streams.review()
        if self._company is not None:
            self._company.follow(app.server, app.admission.limits.meters)
        guard = open_guard(app)
        self._web.guard.caps, self._web.guard.proxies = guard.caps, guard.proxies
        self._front.replace(make_application(door), door)
        self.app = app
        set_level(app.settings.log_level)
        before.audience.is_quiet = is_other
        app.audience.is_quiet = False
        app.audience.publish((*_ANYTHING, *_compare(before, app)))
        if is_other:
            self._work = start_work(app)
            await _cancel(work)
            asyncio.get_running_loop().call_later(SETTLE_SECONDS, refreeze_gc)


def require_folders(app: Runtime) -> None:
    """Raise OperationalError for a missing folder, before any other is read.

    At a start it may still come; what serves is not replaced by what does not.
    """
    for source in app.corpus:
        if not source.root.is_dir():
            raise _miss_folder(source.root)


def _miss_folder(root: Path) -> OperationalError:
    return OperationalError(f"no folder {root}: name the one to serve")


def preserve_restart_only(before: Settings, after: Settings) -> Settings:
    """Return settings with those that only a restart changes as they were."""
    fixed = {name: getattr(before, name) for name in FIXED}
    return msgspec.structs.replace(after, **fixed)


def warn_of_fixed(before: Settings, after: Settings) -> None:
    """Log which settings are not what they were, but stay until a restart."""
    for name in FIXED:
        if getattr(before, name) != getattr(after, name):
            logger.warning("setting needs a restart", extra={"setting": name})


async def load(app: Runtime) -> None:
    """Load what is served; the garbage collector need never look at it."""
    limit_malloc_arenas()
    sys.setswitchinterval(SWITCH_SECONDS)
    with gc_frozen():
        for source in (*app.corpus, *app.news):
            await asyncio.to_thread(source.load)


def start_work(app: Runtime) -> tuple[asyncio.Task[Any], ...]:
    """Begin what goes on beside the requests until it is stopped."""
    watching = (watcher.run() for watcher in app.watchers)
    indexing = (indexer.run() for indexer in app.indexers)
    return tuple(map(asyncio.ensure_future, (*watching, *indexing)))


async def stop_work(app: Runtime, tasks: Sequence[asyncio.Task[Any]]) -> None:
    """End what goes on, in threads too: the process waits for those."""
    await _stop_indexers(app)
    await _cancel(tasks)


async def _stop_indexers(app: Runtime) -> None:
    ending = (asyncio.to_thread(indexer.stop) for indexer in app.indexers)
    await asyncio.gather(*ending)


async def _cancel(tasks: Sequence[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _own_indexers(app: Runtime, before: Runtime) -> Iterator[Indexer]:
    """Yield what keeps an index in no folder that another application has."""
    taken = {find_index(before.settings, each) for each in before.sources.libraries}
    for source, indexer in zip(app.sources.libraries, app.indexers, strict=True):
        folder = find_index(app.settings, source)
        if folder is None or folder not in taken:
            yield indexer


def _compare(before: Runtime, after: Runtime) -> Iterator[Event]:
    """Yield what reads as something else with another application."""
    old, new = before.sources, after.sources
    if old.articles is not None and new.articles is not None:
        yield from publish_changes(old.articles.catalog, new.articles.catalog)
    if old.docs is not None and new.docs is not None:
        from asdlc_kb.providers.docs.events import publish_changes as announce_docs

        yield from announce_docs(old.docs.catalog, new.docs.catalog)
