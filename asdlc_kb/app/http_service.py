"""The HTTP service, with reload of its settings.

A reload replaces the application at once: each request is served by one application
from start to end, and clients keep their connections, sessions and streams.
"""

import asyncio
import logging
import math
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING, Final

import msgspec

from asdlc_kb.app.certificate import inspect_certificate
from asdlc_kb.app.http_context import connection_limits, open_context
from asdlc_kb.app.sources import find_index, missing_folder, require_folders
from asdlc_kb.app.tls import require_no_tls
from asdlc_kb.app.watching import compare_sources
from asdlc_kb.app.wiring import Runtime, listen_on, rebuild
from asdlc_kb.articles.unserved import describe_unserved
from asdlc_kb.exceptions import (
    KnowledgeBaseError,
    OperationalError,
    SettingsError,
    StoreUnavailable,
)
from asdlc_kb.mcp.subscriptions.subscription_bus import EVERY_LIST
from asdlc_kb.ops.logs.structured import set_level
from asdlc_kb.ops.process.allocator import gc_frozen, limit_malloc_arenas, refreeze_gc
from asdlc_kb.ops.process.background_tasks import cancel_tasks
from asdlc_kb.search.service.indexer import Indexer
from asdlc_kb.settings import Settings
from asdlc_kb.web.current_application import CurrentApplication
from asdlc_kb.web.fast_path.request_reader import open_fast_path
from asdlc_kb.web.http_server import HttpServer, find_port
from asdlc_kb.web.monitoring.metrics import read_gauges
from asdlc_kb.web.routes import make_application

if TYPE_CHECKING:
    from asdlc_kb.app.store_sources import Store
    from asdlc_kb.cluster.membership import ClusterMembership
    from asdlc_kb.cluster.pooled_metrics import PooledMetrics

logger = logging.getLogger(__name__)

SWITCH_SECONDS: Final = 0.001
"""Thread switch interval: the event loop needs the GIL several times per request, and
Python's default of 5 ms would be noticeable."""

SETTLE_SECONDS: Final = 10.0
"""Time after which the replaced application is hardly in use."""

STORE_SECONDS: Final = 0.25
"""Interval at which the state of a store is looked at."""

MIN_RETRY_SECONDS: Final = 1.0
MAX_RETRY_SECONDS: Final = 30.0
"""Pauses before a failed reload of other sources of a store is repeated."""

RESTART_ONLY: Final = (
    "host",
    "port",
    "workers",
    "bus_url",
    "store",
    "store_source",
    "session_key_file",
    "otel",
    "log_format",
    "insights",
)
"""Settings that only a restart changes."""


class HttpService:
    """Serves a loaded application, which a reload replaces."""

    def __init__(
        self,
        app: Runtime,
        sockets: list[socket.socket],
        membership: "ClusterMembership | None" = None,
        pooled_metrics: "PooledMetrics | None" = None,
    ) -> None:
        self.app = app = listen_on(app, find_port(sockets))
        self._reloading = asyncio.Lock()
        self._sockets = sockets
        self._membership = membership
        if membership is not None:
            membership.follow(app.admission.limits.meters)
        self._pooled_metrics = pooled_metrics
        self._context = context = open_context(app, pooled_metrics)
        if membership is not None:
            context.state.is_bus_connected = membership.is_connected
        self._inspect_certificate()
        self._application = CurrentApplication(make_application(context))
        self._install_fast_path()
        self._web = HttpServer(
            self._application,
            sockets,
            context.state,
            is_shared=app.settings.workers > 1,
            tls=app.tls,
        )
        self._tasks = start_tasks(app)
        if context.state.insights is not None:
            context.state.insights.open()
        if pooled_metrics is not None:
            pooled_metrics.start(lambda: read_gauges(self._context))

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._web.port

    async def reload(self, read: Callable[[], Settings]) -> bool:
        """Reload the settings returned by `read`; False if they are rejected.

        Rejected settings are logged, and change nothing.
        """
        return await self._reload(read) is None

    async def follow_store(self, store: "Store") -> None:
        """Follow the state of a store: its age, and which sources it has; never ends.

        Other sources are served after a reload. One that failed is repeated, unless it
        takes an operator to change that; then other sources are awaited.
        """
        changed: object = None
        pause = due = 0.0
        while True:
            is_outdated = store.is_outdated(self.app.settings.store_max_age)
            if is_outdated and not self._context.state.is_outdated:
                logger.error(
                    "requests are answered with 503: the store has no source, or the "
                    "mirror could not be brought up to date for too long"
                )
            self._context.state.is_outdated = is_outdated
            sources = None
            if store.has_changed(self.app.sources.mirrored):
                sources = store.mirrors.describe()
            if sources != changed:
                changed, pause, due = sources, MIN_RETRY_SECONDS, 0.0
            if sources is not None and monotonic() >= due:
                error = await self._reload(lambda: self.app.settings)
                due = math.inf if _takes_operator(error) else monotonic() + pause
                pause = min(2 * pause, MAX_RETRY_SECONDS)
            await asyncio.sleep(STORE_SECONDS)

    async def _reload(self, read: Callable[[], Settings]) -> Exception | None:
        """Reload the settings; return the error that prevented it, which is logged."""
        async with self._reloading:
            metrics = self.app.telemetry.metrics
            try:
                settings = await asyncio.to_thread(read)
                warn_restart_only(self.app.settings, settings)
                settings = preserve_restart_only(self.app.settings, settings)
                app = rebuild(self.app, settings)
                await self._prepare(app)
            except Exception as error:
                if isinstance(error, KnowledgeBaseError):
                    logger.error("reload refused", extra={"reason": str(error)})
                else:
                    logger.exception("reload failed")
                metrics.record_reload("error")
                return error
            await self._replace(app)
            metrics.record_reload("ok")
            logger.info("reloaded")
            return None

    async def stop(self) -> None:
        """Drain the server, and stop all tasks."""
        await self._web.drain()
        if self._membership is not None:
            await self._membership.leave()
        if self._context.views is not None:
            await self._context.views.close()
        await stop_tasks(self.app, self._tasks)
        if (insights := self._context.state.insights) is not None:
            self.app.telemetry.access_log.flush()
            await asyncio.to_thread(insights.close)

    async def _prepare(self, app: Runtime) -> None:
        """Load the new application's sources; raise OperationalError."""
        if app.tls is not None:
            require_no_tls(self._sockets)
        if app.sources is self.app.sources:
            return
        require_folders(app.sources)
        await load(app)
        for source in app.corpus:
            if source.catalog.snapshot.is_missing:
                raise missing_folder(source.root)
        try:
            for indexer in _exclusive_indexers(app, self.app):
                if not indexer.is_lazy:
                    await indexer.ready()
        except BaseException:
            await _stop_threads(app)
            raise

    async def _replace(self, app: Runtime) -> None:
        """Serve with another application from now on."""
        before, tasks = self.app, self._tasks
        is_other = app.sources is not before.sources
        if is_other:
            # An index has one writer. Searches continue in the last snapshot.
            await _stop_threads(before)
        if is_other and (site := before.website.made) and site.live:
            site.live.end()
        state = self._context.state
        context = open_context(app, self._pooled_metrics, state)
        state.apply(connection_limits(app.settings), context.proxies, context.bearer)
        if self._membership is not None:
            self._membership.follow(app.admission.limits.meters)
        views, self._context, self.app = self._context.views, context, app
        self._application.application = make_application(context)
        self._web.use_tls(app.tls)
        self._inspect_certificate()
        self._install_fast_path()
        set_level(app.settings.log_level)
        if is_other:
            before.publisher.deactivate()
            app.publisher.activate()
        if views is not None:
            await views.close()
        app.publisher.publish(
            (*EVERY_LIST, *compare_sources(before.sources, app.sources))
        )
        if is_other:
            self._tasks = start_tasks(app)
            await cancel_tasks(tasks)
            asyncio.get_running_loop().call_later(SETTLE_SECONDS, refreeze_gc)

    def _inspect_certificate(self) -> None:
        """Measure when the certificate ends; a single process logs its problems."""
        logs = self._pooled_metrics is None
        ends = find_certificate_end(self.app, logs_problems=logs)
        self._context.state.certificate_ends = ends

    def _install_fast_path(self) -> None:
        """Use a new fast path, with nothing cached, or none."""
        has_fast_path = self.app.settings.fast_path
        manager = self._context.state.manager
        manager.fast_path = open_fast_path(self._context) if has_fast_path else None


def find_certificate_end(app: Runtime, *, logs_problems: bool) -> float | None:
    """Return when the certificate ends, if there is one.

    With `logs_problems` log why clients will reject it.
    """
    settings = app.settings
    if app.tls is None or settings.tls_cert is None:
        return None
    report = inspect_certificate(app.tls, settings.tls_cert, settings.base_url, time())
    for problem in report.problems if logs_problems else ():
        logger.warning(problem, extra={"file": settings.tls_cert})
    return report.ends


def _takes_operator(error: Exception | None) -> bool:
    """Whether a reload of the same sources fails until an operator acts."""
    is_lasting = isinstance(error, (SettingsError, OperationalError))
    return is_lasting and not isinstance(error, StoreUnavailable)


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

    Logs a warning if the content folder has files, but no article to serve, and what of
    a documentation tree is not read.
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
    if (docs := app.sources.docs) is not None:
        from asdlc_kb.docs.unserved import list_notes

        for tree in docs.trees:
            for note in await asyncio.to_thread(list_notes, tree.library):
                logger.warning(note)


def start_tasks(app: Runtime) -> tuple[asyncio.Task[None], ...]:
    """Start what follows folders and mirrors, indexers and writers of parsed files."""
    watching = (watcher.run() for watcher in app.watchers)
    following = () if app.store is None else (app.store.run(app.followers),)
    indexing = (indexer.run() for indexer in app.indexers.values())
    storing = (writer.run() for writer in app.parsed_cache_writers)
    return app.background.start((*watching, *following, *indexing, *storing))


async def stop_tasks(app: Runtime, tasks: Sequence[asyncio.Task[object]]) -> None:
    """Stop the background tasks and their threads, which the process would join."""
    await _stop_threads(app)
    await cancel_tasks(tasks)


async def _stop_threads(app: Runtime) -> None:
    for writer in app.parsed_cache_writers:
        writer.stop()
    indexers = app.indexers.values()
    ending = (asyncio.to_thread(indexer.stop) for indexer in indexers)
    await asyncio.gather(*ending)


def _exclusive_indexers(app: Runtime, before: Runtime) -> Iterator[Indexer]:
    """Yield the indexers without an index folder of the other application."""
    taken = {find_index(before.settings, source) for source in before.sources.indexed}
    for source in app.sources.indexed:
        folder = find_index(app.settings, source)
        if folder is None or folder not in taken:
            yield app.indexers[source.kind]
