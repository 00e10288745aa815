"""The HTTP service, with reload of its settings.

A reload replaces the application at once: each request is served by one application
from start to end, and clients keep their connections, sessions and streams.
"""

import asyncio
import logging
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from asdlc_kb.app.sources import find_index
from asdlc_kb.app.wiring import Runtime, connection_limits, open_context, rebuild
from asdlc_kb.articles.unserved import describe_unserved
from asdlc_kb.exceptions import KnowledgeBaseError, OperationalError
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    PromptsChanged,
    ResourcesChanged,
    ToolsChanged,
)
from asdlc_kb.ops.logs.structured import set_level
from asdlc_kb.ops.process.allocator import gc_frozen, limit_malloc_arenas, refreeze_gc
from asdlc_kb.providers.articles.events import publish_changes
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.web.http_server import HttpServer
from asdlc_kb.web.mcp.fast_path import FastPath
from asdlc_kb.web.monitoring.metrics import read_gauges
from asdlc_kb.web.routes import make_application

if TYPE_CHECKING:
    from asdlc_kb.cluster.membership import ClusterMembership
    from asdlc_kb.cluster.pooled_metrics import PooledMetrics

logger = logging.getLogger(__name__)

SWITCH_SECONDS: Final = 0.001
"""Thread switch interval: the event loop needs the GIL several times per request, and
Python's default of 5 ms would be noticeable."""

SETTLE_SECONDS: Final = 10.0
"""Time after which the replaced application is hardly in use."""

RESTART_ONLY: Final = ("host", "port", "workers", "redis_url", "session_key_file")
"""Settings that only a restart changes."""

_ANYTHING: Final[tuple[Event, ...]] = (
    ToolsChanged(),
    PromptsChanged(),
    ResourcesChanged(),
)


class HttpService:
    """Serves a loaded application, which a reload replaces."""

    def __init__(
        self,
        app: Runtime,
        sockets: list[socket.socket],
        membership: "ClusterMembership | None" = None,
        pooled_metrics: "PooledMetrics | None" = None,
    ) -> None:
        self.app = app
        self._membership = membership
        if membership is not None:
            membership.follow(app.admission.limits.meters)
        self._pooled_metrics = pooled_metrics
        context = open_context(app, pooled_metrics)
        self._fast_path = FastPath(make_application(context), context)
        self._web = HttpServer(
            self._fast_path,
            sockets,
            context.state,
            is_shared=app.settings.workers > 1,
        )
        self._tasks = start_tasks(app)
        if pooled_metrics is not None:
            pooled_metrics.start(lambda: read_gauges(self._fast_path.context))

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._web.port

    async def reload(self, read: Callable[[], Settings]) -> bool:
        """Reload the settings returned by `read`; False if they are rejected.

        Rejected settings are logged, and change nothing.
        """
        try:
            settings = await asyncio.to_thread(read)
            warn_restart_only(self.app.settings, settings)
            app = rebuild(self.app, preserve_restart_only(self.app.settings, settings))
            await self._prepare(app)
        except KnowledgeBaseError as error:
            logger.error("reload refused", extra={"reason": str(error)})
        except Exception:
            logger.exception("reload failed")
        else:
            await self._replace(app)
            self.app.telemetry.metrics.record_reload("ok")
            logger.info("reloaded")
            return True
        self.app.telemetry.metrics.record_reload("error")
        return False

    async def stop(self) -> None:
        """Drain the server, and stop all tasks."""
        await self._web.drain()
        if self._membership is not None:
            await self._membership.leave()
        await stop_tasks(self.app, self._tasks)

    async def _prepare(self, app: Runtime) -> None:
        """Load the new application's sources; raise OperationalError."""
        if app.sources is self.app.sources:
            return
        require_folders(app)
        await load(app)
        for source in app.corpus:
            if source.catalog.snapshot.is_missing:
                raise _missing_folder(source.root)
        try:
            for indexer in _exclusive_indexers(app, self.app):
                if not indexer.is_lazy:
                    await indexer.ready()
        except BaseException:
            await _stop_indexers(app)
            raise

    async def _replace(self, app: Runtime) -> None:
        """Serve with another application from now on."""
        before, tasks = self.app, self._tasks
        is_other = app.sources is not before.sources
        if is_other:
            # An index has one writer. Searches continue in the last snapshot.
            await _stop_indexers(before)
        if is_other and (site := before.website.made) and site.live:
            site.live.end()
        state = self._fast_path.context.state
        context = open_context(app, self._pooled_metrics, state)
        state.apply(connection_limits(app.settings), context.proxies, context.bearer)
        if self._membership is not None:
            self._membership.follow(app.admission.limits.meters)
        self._fast_path.replace(make_application(context), context)
        self.app = app
        set_level(app.settings.log_level)
        if is_other:
            before.publisher.deactivate()
            app.publisher.activate()
        app.publisher.publish((*_ANYTHING, *_compare(before, app)))
        if is_other:
            self._tasks = start_tasks(app)
            await _cancel(tasks)
            asyncio.get_running_loop().call_later(SETTLE_SECONDS, refreeze_gc)


def require_folders(app: Runtime) -> None:
    """Raise OperationalError for a missing folder, before any source is read.

    At a start it may still appear; a reload must not replace a working application.
    """
    for source in app.corpus:
        if not source.root.is_dir():
            raise _missing_folder(source.root)


def _missing_folder(root: Path) -> OperationalError:
    return OperationalError(f"no such folder: {root}")


def preserve_restart_only(before: Settings, after: Settings) -> Settings:
    """Return `after` with restart-only settings as in `before`."""
    fixed = {name: getattr(before, name) for name in RESTART_ONLY}
    return msgspec.structs.replace(after, **fixed)


def warn_restart_only(before: Settings, after: Settings) -> None:
    """Log changed settings that need a restart."""
    for name in RESTART_ONLY:
        if getattr(before, name) != getattr(after, name):
            logger.warning("setting needs a restart", extra={"setting": name})


async def load(app: Runtime) -> None:
    """Load the sources, and exclude them from garbage collection.

    Logs a warning if the content folder has files, but no article to serve.
    """
    limit_malloc_arenas()
    sys.setswitchinterval(SWITCH_SECONDS)
    with gc_frozen():
        for source in (*app.corpus, *app.project_notifiers):
            await asyncio.to_thread(source.load)
    if (articles := app.sources.articles) is not None:
        catalog = articles.catalog
        hint = await asyncio.to_thread(describe_unserved, articles.root, catalog)
        if hint is not None:
            logger.warning(hint)


def start_tasks(app: Runtime) -> tuple[asyncio.Task[None], ...]:
    """Start the background tasks: watchers and indexers."""
    watching = (watcher.run() for watcher in app.watchers)
    indexing = (indexer.run() for indexer in app.indexers)
    return tuple(map(asyncio.ensure_future, (*watching, *indexing)))


async def stop_tasks(app: Runtime, tasks: Sequence[asyncio.Task[object]]) -> None:
    """Stop the background tasks and their threads, which the process would join."""
    await _stop_indexers(app)
    await _cancel(tasks)


async def _stop_indexers(app: Runtime) -> None:
    ending = (asyncio.to_thread(indexer.stop) for indexer in app.indexers)
    await asyncio.gather(*ending)


async def _cancel(tasks: Sequence[asyncio.Task[object]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _exclusive_indexers(app: Runtime, before: Runtime) -> Iterator[Indexer]:
    """Yield the indexers without an index folder of the other application."""
    taken = {
        find_index(before.settings, library) for library in before.sources.libraries
    }
    for source, indexer in zip(app.sources.libraries, app.indexers, strict=True):
        folder = find_index(app.settings, source)
        if folder is None or folder not in taken:
            yield indexer


def _compare(before: Runtime, after: Runtime) -> Iterator[Event]:
    """Yield the events of content that differs between two applications."""
    old, new = before.sources, after.sources
    if old.articles is not None and new.articles is not None:
        yield from publish_changes(old.articles.catalog, new.articles.catalog)
    if old.docs is not None and new.docs is not None:
        from asdlc_kb.providers.docs.events import (
            publish_changes as publish_doc_changes,
        )

        yield from publish_doc_changes(old.docs.catalog, new.docs.catalog)
