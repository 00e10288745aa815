"""Many processes of one server: what their parent does, and what each of them does.

The parent has the listening sockets, forks the workers, and is the hub between them. It
judges settings before they are told to read them again.
"""

import logging
import os
import secrets
import socket
from collections.abc import Callable

import msgspec

from asdlc_kb.app.http_service import (
    preserve_restart_only,
    require_folders,
    warn_of_fixed,
)
from asdlc_kb.app.lifecycle import listen, run, serve_sockets
from asdlc_kb.app.membership import KEY_BYTES, open_membership
from asdlc_kb.app.wiring import Runtime, build, same_content_settings
from asdlc_kb.cluster.parent_broker import ParentBroker
from asdlc_kb.cluster.pooled_metrics import PooledMetrics
from asdlc_kb.cluster.worker_channel import WorkerChannel
from asdlc_kb.cluster.worker_status import WorkerNotifier
from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.ops.logs import structured
from asdlc_kb.ops.metrics.counters import metrics
from asdlc_kb.ops.process.allocator import refreeze_gc
from asdlc_kb.ops.process.supervisor import TICK_SECONDS, Supervisor
from asdlc_kb.ops.process.systemd import SystemdNotifier
from asdlc_kb.settings import MEMORY, Settings

logger = logging.getLogger(__name__)


def serve_workers(
    settings: Settings,
    read: Callable[[], Settings],
    welcome: Callable[[Runtime, int], str],
    announce: Callable[[str], None],
) -> int:
    """Serve with many processes until SIGTERM or SIGINT; return the exit code.

    Once all serve, `announce` is told what `welcome` makes of one. In a worker this
    returns too, with its own exit code.
    """
    return WorkerParent(settings, read, welcome, announce).run()


class WorkerParent:
    """Starts the workers, and says when all of them serve."""

    def __init__(
        self,
        settings: Settings,
        read: Callable[[], Settings],
        welcome: Callable[[Runtime, int], str],
        announce: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._read = read
        self._welcome = welcome
        self._announce = announce
        self._notifier = SystemdNotifier(os.environ)
        self._hub = ParentBroker(self._tell_ready, count=settings.workers)
        self._sockets: list[socket.socket] = []
        self._key = secrets.token_bytes(KEY_BYTES)
        self._was_announced = False

    def run(self) -> int:
        """Return the exit code: of the parent, or in a worker its own."""
        # What is wrong for all of them is said once.
        build(self._settings)
        open_membership(self._settings)
        self._sockets = listen(self._settings)
        # What is here now is in memory once: nobody is to touch it.
        refreeze_gc()
        pause = self._notifier.pause
        workers = Supervisor(
            self._settings.workers,
            self._work,
            self._hub.connect,
            hung_up=self.reload,
            ended=self._end,
            tick=self._notifier.tell_alive if pause else lambda: None,
            is_established=lambda: self._hub.is_established,
            tick_seconds=min(TICK_SECONDS, pause or TICK_SECONDS),
        )
        return workers.run()

    def _work(self, number: int, channel: socket.socket) -> int:
        """Serve as one of the workers."""
        settings = worker_settings(self._settings, number)
        structured.configure(settings.log_level)
        run(self._serve(settings, number, WorkerChannel(channel)))
        return 0

    async def _serve(
        self, settings: Settings, number: int, spoke: WorkerChannel
    ) -> None:
        await spoke.open()
        try:
            company = open_membership(settings, spoke, self._key)
            assert company is not None
            app = build(settings, audience=company.open_audience())
            figures = PooledMetrics(spoke, number)
            voice = WorkerNotifier(spoke, figures)

            def announce(port: int) -> None:
                voice.told = self._welcome(app, port)

            def read() -> Settings:
                return worker_settings(self._keep(self._read()), number)

            await serve_sockets(
                app,
                self._sockets,
                announce,
                read,
                herald=voice,
                company=company,
                figures=figures,
                orphaned=spoke.is_closed,
            )
            figures.tell()
        finally:
            await spoke.close()

    def _keep(self, settings: Settings) -> Settings:
        """Return settings without those that need a restart: the parent says so."""
        return preserve_restart_only(self._settings, settings)

    def _tell_ready(self, told: str) -> None:
        if not self._was_announced:
            self._was_announced = True
            self._announce(told)
        self._notifier.tell_ready()

    def reload(self) -> bool:
        """Judge the settings; return whether workers are to read them."""
        self._notifier.tell_reloading()
        try:
            settings = self._read()
            warn_of_fixed(self._settings, settings)
            settings = self._keep(settings)
            built = build(settings)
            if not same_content_settings(self._settings, settings):
                require_folders(built)
        except KnowledgeBaseError as error:
            logger.error("reload refused", extra={"reason": str(error)})
        except Exception:
            # With the parent all workers would end.
            logger.exception("reload failed")
        else:
            self._settings = settings
            self._hub.await_ready()
            return True
        # Those before are in force still.
        metrics.note_reload("error")
        self._hub.add(metrics.take())
        self._notifier.tell_ready()
        return False

    def _end(self) -> None:
        self._notifier.tell_stopping()
        # The last worker that leaves takes what still arrives.
        for listening in self._sockets:
            listening.close()


def worker_settings(settings: Settings, number: int) -> Settings:
    """Return the settings of one worker: the first alone keeps indexes on disk.

    A folder has one keeper.
    """
    if number == 0:
        return settings
    return msgspec.structs.replace(settings, cache_dir=MEMORY)
