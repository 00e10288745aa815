"""Rendering in a child process, which is killed if a text exceeds its limits.

Rendering time depends on Markdown, lexers and raw HTML; a regular expression's match
cannot be interrupted within a process. The process starts with the first text, renders
one text at a time, and exits after a minute without any.
"""

import logging
import signal
import socket
import subprocess
import sys
from collections import deque
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from secrets import token_hex
from threading import Condition, Thread
from typing import Final
from weakref import finalize

import msgspec

from asdlc_kb.exceptions import RendererUnavailable
from asdlc_kb.markup.html_renderer import (
    Html,
    ResolveLink,
    render_cheap,
    render_plain,
)
from asdlc_kb.markup.pictures import ResolvePicture, no_picture, write_pictures
from asdlc_kb.markup.render_protocol import (
    LinkPlaceholders,
    RenderReply,
    RenderTask,
    make_placeholder,
    receive,
    send,
)

logger = logging.getLogger(__name__)

IDLE_SECONDS: Final = 60.0
"""Seconds without a text after which the process exits."""

MAX_WAIT_SECONDS: Final = 60.0
"""Seconds for one text, on a machine where other programs take the processor."""

MAX_WAITING: Final = 100
"""Queued texts; further ones are rejected."""

_FATAL: Final = frozenset(
    {-signal.SIGPROF, -signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS}
)
"""Exit codes that are caused by the text."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text as HTML with placeholders for links, and pictures as in the text."""

    html: Html
    nonce: str = ""
    hrefs: tuple[str, ...] = ()
    is_highlighted: bool = True
    """False if highlighting exceeded the limits."""

    def link(
        self, resolve: ResolveLink, resolve_picture: ResolvePicture = no_picture
    ) -> Html:
        """Return the HTML with its links and pictures resolved."""
        addresses = [resolve(href) for href in self.hrefs]
        first, *others = self.html.text.split(
            f' href="{make_placeholder(self.nonce, 0)[:-1]}'
        )
        parts = [first]
        for other in others:
            number, _, rest = other.partition('"')
            address = addresses[int(number)]
            if address is not None:
                parts.append(f' href="{_escape(address)}"')
            parts.append(rest)
        text = write_pictures("".join(parts), resolve_picture)
        return replace(self.html, text=text)


RenderOutcome = Rendered | None
"""None for a text that exceeds the limits of the process."""


def render_now(text: str, *, has_anchors: bool = True) -> Rendered | None:
    """Return a text rendered in this process; None if it is not known to be cheap."""
    nonce = token_hex(16)
    placeholders = LinkPlaceholders(nonce)
    html = render_cheap(
        text, placeholders, has_anchors=has_anchors, resolve_picture=None
    )
    return None if html is None else Rendered(html, nonce, placeholders.hrefs)


def render_as_code(text: str) -> Rendered:
    """Return a text as code, if it cannot be rendered."""
    return Rendered(render_plain(text))


class RenderProcess:
    """Renders texts in one child process. Thread-safe."""

    def __init__(self, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._queue: deque[tuple[RenderTask, Future[RenderOutcome]]] = deque()
        self._changed = Condition()
        self._is_running = False

    def submit(
        self, text: str, *, has_anchors: bool = True, diagram_theme: str = ""
    ) -> Future[RenderOutcome]:
        """Return a future of the rendering of a text, or of the drawing of a diagram.

        It fails with RendererUnavailable if the text was not attempted; one that is
        cancelled is not attempted.
        """
        task = RenderTask(text, token_hex(16), has_anchors, diagram_theme=diagram_theme)
        future: Future[RenderOutcome] = Future()
        with self._changed:
            if len(self._queue) >= MAX_WAITING:
                future.set_exception(RendererUnavailable(f"{MAX_WAITING} texts wait"))
                return future
            if not self._is_running:
                try:
                    Thread(target=self._run, name="renderer", daemon=True).start()
                except RuntimeError as error:
                    reason = f"the rendering thread cannot be started: {error}"
                    future.set_exception(_report(RendererUnavailable(reason)))
                    return future
                self._is_running = True
            self._queue.append((task, future))
            self._changed.notify()
        return future

    def _run(self) -> None:
        process = _RenderChild()
        while True:
            with self._changed:
                if not self._queue:
                    self._changed.wait(self._idle_seconds)
                if not self._queue:
                    self._is_running = False
                    process.end()
                    return
                task, future = self._queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                outcome = _render(process, task)
            except Exception as error:
                process.end()
                future.set_exception(_report(error))
            else:
                future.set_result(outcome)


def _report(error: Exception) -> RendererUnavailable:
    """Log why a text was not rendered; return the error of its future."""
    if not isinstance(error, RendererUnavailable):
        # Not the message, which may have a part of the text.
        error = RendererUnavailable(type(error).__name__)
    logger.error("rendering process failed", extra={"reason": str(error)})
    return error


def _render(process: "_RenderChild", task: RenderTask) -> RenderOutcome:
    """Render a text with highlighting, or if that fails without; draw a diagram."""
    for is_highlighted in (True,) if task.diagram_theme else (True, False):
        reply = process.perform(
            msgspec.structs.replace(task, is_highlighted=is_highlighted)
        )
        if reply is not None and reply.html is not None:
            return Rendered(reply.html, task.nonce, reply.hrefs, is_highlighted)
    return None


class _RenderChild:
    """The child process, started on demand."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._finalizer: finalize[..., _RenderChild] | None = None

    def perform(self, task: RenderTask) -> RenderReply | None:
        """Return the reply to a task; None if the task killed the process."""
        connection = self._start()
        connection.settimeout(MAX_WAIT_SECONDS)
        try:
            send(connection, task)
            reply = receive(connection, RenderReply)
        except TimeoutError:
            self.end()
            raise RendererUnavailable(
                f"the rendering process did not answer in {MAX_WAIT_SECONDS:.0f} s"
            ) from None
        except (OSError, ValueError):
            reply = None
        if reply is None and (code := self.end()) not in _FATAL:
            raise RendererUnavailable(f"the rendering process ended with code {code}")
        return reply

    def end(self) -> int:
        """Stop the process if it runs; return its exit code."""
        child, self._child = self._child, None
        if child is None or self._connection is None or self._finalizer is None:
            return 0
        self._finalizer.detach()
        return _end(child, self._connection)

    def _start(self) -> socket.socket:
        if self._child is not None and self._connection is not None:
            return self._connection
        # -P: no imports from the working directory, which is untrusted.
        command = [sys.executable, "-P", "-m", "asdlc_kb.markup.render_worker"]
        try:
            with ExitStack() as opened:
                ours, theirs = map(opened.enter_context, socket.socketpair())
                self._child = subprocess.Popen(  # noqa: S603 - our own module
                    command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL
                )
                opened.pop_all()
                theirs.close()
        except OSError as error:
            raise RendererUnavailable(
                f"the rendering process cannot be started: {error}"
            ) from None
        self._connection = ours
        self._finalizer = finalize(self, _end, self._child, ours)
        return ours


def _end(child: subprocess.Popen[bytes], connection: socket.socket) -> int:
    """Close the connection and kill the child if it goes on; return the exit code."""
    connection.close()
    with suppress(subprocess.TimeoutExpired):
        return child.wait(0.1)
    child.kill()
    return child.wait()


def _escape(address: str) -> str:
    """Return an address escaped for an attribute, as nh3 does."""
    for character, entity in _ENTITIES:
        address = address.replace(character, entity)
    return address


_ENTITIES: Final = (
    ("&", "&amp;"),
    ("\u00a0", "&nbsp;"),
    ('"', "&quot;"),
    ("<", "&lt;"),
    (">", "&gt;"),
)
