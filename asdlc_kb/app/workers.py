"""A server of several worker processes: the parent, and each worker.

The parent owns the listening sockets, forks the workers, and is the broker between
them. It validates settings before the workers reload them.
"""

import logging
import os
import secrets
import socket
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from asdlc_kb.app.access_policy import open_observers
from asdlc_kb.app.http_service import (
    find_certificate_end,
    preserve_restart_only,
    warn_restart_only,
)
from asdlc_kb.app.lifecycle import listen, run, serve_sockets
from asdlc_kb.app.membership import open_membership
from asdlc_kb.app.otel import add_recorder, require_exporters
from asdlc_kb.app.sources import open_sources, require_folders
from asdlc_kb.app.wiring import Runtime, build, same_content_settings
from asdlc_kb.cluster.parent_broker import ParentBroker
from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.cluster.worker_channel import WorkerChannel
from asdlc_kb.cluster.worker_status import WorkerNotifier
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.sessions.session_ids import KEY_BYTES
from asdlc_kb.ops.logs import structured
from asdlc_kb.ops.logs.structured import LogForm
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.ops.process.allocator import refreeze_gc
from asdlc_kb.ops.process.supervisor import TICK_SECONDS, Supervisor
from asdlc_kb.ops.process.systemd import SystemdNotifier
from asdlc_kb.ops.telemetry import Telemetry
from asdlc_kb.settings import MEMORY, Settings
from asdlc_kb.temporary_folders import TemporaryFolder

if TYPE_CHECKING:
    from asdlc_kb.app.store_sources import Store

logger = logging.getLogger(__name__)


class WorkerParent:
    """Starts the workers; announces the `welcome` banner of one when all serve."""

    def __init__(
        self,
        settings: Settings,
        read: Callable[[], Settings],
        welcome: Callable[[Runtime, int], str],
        announce: Callable[[str], None],
        log_form: LogForm = "json",
    ) -> None:
        self._settings = settings
        self._log_form = log_form
        self._read = read
        self._welcome = welcome
        self._announce = announce
        self._notifier = SystemdNotifier(os.environ)
        self._broker = ParentBroker(self._notify_ready, count=settings.workers)
        self._sockets: list[socket.socket] = []
        self._key = secrets.token_bytes(KEY_BYTES)
        self._was_announced = False
        self._store: Store | None = None
        """The store, if all workers serve its mirrors."""
        self._metrics = Metrics()
        """Metrics of the parent process."""
        self._insights = settings.insights
        """The file of usage statistics, which the workers share."""

    def run(self) -> int:
        """Serve until SIGTERM or SIGINT; return the exit code of the parent or worker.

        In a worker it returns too.
        """
        # Report an error that concerns all of them once.
        if self._settings.store is not None:
            from asdlc_kb.app.store_sources import open_store

            with self._notifier.staying_alive():
                self._store = open_store(self._settings)
        built = build(self._settings, store=self._store)
        find_certificate_end(built, logs_problems=True)
        require_exporters(self._settings)
        open_membership(self._settings, self._metrics)
        self._sockets = listen(self._settings)
        # Objects made so far are shared memory: the collector must not touch them.
        refreeze_gc()
        pause = self._notifier.pause
        workers = Supervisor(
            self._settings.workers,
            self._work,
            self._broker.connect,
            on_hangup=self.reload,
            ended=self._end,
            tick=self._notifier.notify_alive if pause else lambda: None,
            is_established=lambda: self._broker.is_established,
            tick_seconds=min(TICK_SECONDS, pause or TICK_SECONDS),
        )
        folder = self._make_insights_folder()
        try:
            return workers.run()
        finally:
            if folder is not None:
                folder.delete()

    def _make_insights_folder(self) -> TemporaryFolder | None:
        """Return a new folder for the statistics if they are shown but not kept."""
        if self._insights is not None:
            return None
        if not open_observers(self._settings, "insights_allow"):
            return None
        try:
            folder = TemporaryFolder()
        except OSError as error:
            reason = error.strerror
            logger.warning("no insights: no temporary folder", extra={"reason": reason})
            return None
        self._insights = str(folder.path / "insights.db")
        return folder

    def _work(self, number: int, channel: socket.socket) -> int:
        """Serve as one of the workers."""
        settings = self._choose_settings(self._settings, number)
        telemetry = Telemetry()
        structured.configure(
            settings.log_level, telemetry.access_log, form=self._log_form
        )
        telemetry = add_recorder(telemetry, settings)
        run(self._serve(settings, number, WorkerChannel(channel), telemetry))
        return 0

    async def _serve(
        self,
        settings: Settings,
        number: int,
        channel: WorkerChannel,
        telemetry: Telemetry,
    ) -> None:
        await channel.open()
        try:
            metrics = telemetry.metrics
            membership = open_membership(settings, metrics, channel, self._key)
            assert membership is not None
            # Every worker reads the caches of parsed files, the first one writes them.
            cached = msgspec.structs.replace(
                settings, cache_dir=self._settings.cache_dir
            )
            app = build(
                settings,
                sources=open_sources(cached, store=self._store),
                store=self._store,
                sessions=membership.sessions,
                telemetry=telemetry,
            )
            pooled_metrics = PooledMetrics(channel, number, metrics)

            def read() -> Settings:
                settings = preserve_restart_only(self._settings, self._read())
                return self._choose_settings(settings, number)

            await serve_sockets(
                app,
                self._sockets,
                partial(self._welcome, app),
                read,
                notifier=WorkerNotifier(channel, pooled_metrics),
                membership=membership,
                pooled_metrics=pooled_metrics,
                orphaned=channel.is_closed,
            )
            pooled_metrics.send()
        finally:
            await channel.close()

    def _choose_settings(self, settings: Settings, number: int) -> Settings:
        """Return the settings of one worker, with the file that all of them share."""
        settings = msgspec.structs.replace(settings, insights=self._insights)
        return worker_settings(settings, number)

    def _notify_ready(self, banner: str) -> None:
        if not self._was_announced:
            self._was_announced = True
            self._announce(banner)
        self._notifier.notify_ready()

    def reload(self) -> bool:
        """Validate the settings; return whether the workers are to reload them."""
        self._notifier.notify_reloading()
        try:
            settings = self._read()
            warn_restart_only(self._settings, settings)
            settings = preserve_restart_only(self._settings, settings)
            built = build(settings, store=self._store)
            if not same_content_settings(self._settings, settings):
                require_folders(built.sources)
        except KnowledgeBaseError as error:
            logger.error("reload refused", extra={"reason": str(error)})
        except Exception:
            # An exception would end the parent, and all workers.
            logger.exception("reload failed")
        else:
            find_certificate_end(built, logs_problems=True)
            self._settings = settings
            self._broker.await_ready()
            return True
        # The previous settings stay in force.
        self._metrics.record_reload("error")
        self._broker.add(self._metrics.drain())
        self._notifier.notify_ready()
        return False

    def _end(self) -> None:
        self._notifier.notify_stopping()
        # Pending connections are accepted by the last worker.
        for listening in self._sockets:
            listening.close()


def worker_settings(settings: Settings, number: int) -> Settings:
    """Return the settings of one worker: only the first stores indexes on disk.

    An index folder has one writer. A worker that replaces another waits for folders:
    the parent has checked them.
    """
    cache_dir = settings.cache_dir if number == 0 else MEMORY
    return msgspec.structs.replace(settings, cache_dir=cache_dir, wait=True)
