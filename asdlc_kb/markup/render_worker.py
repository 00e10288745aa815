"""The rendering process: renders texts within limits of CPU time and memory.

`markup.render_process` starts it with a socket as its standard input. A text that
exceeds the CPU time kills it by SIGPROF, whatever it executes; one that exceeds the
memory gets a reply without HTML. It exits when the socket is closed.
"""

import os
import resource
import signal
import socket
from contextlib import suppress
from typing import Final

from asdlc_kb.markup.diagrams import draw
from asdlc_kb.markup.fences import FULL, SOURCE
from asdlc_kb.markup.html_renderer import Html, render
from asdlc_kb.markup.render_protocol import (
    LinkPlaceholders,
    RenderReply,
    RenderTask,
    receive,
    send,
)

MAX_CPU_SECONDS: Final = 1.0
"""CPU time for one text."""

MAX_MEMORY_BYTES: Final = 1024 * 1024 * 1024
"""Address space of the process, on systems that limit it."""

MAX_HTML_CHARACTERS: Final = 8 * 1024 * 1024
"""Characters of the HTML of a text; more is too slow in browsers."""


def run(connection: socket.socket) -> None:
    """Reply to tasks until the connection is closed."""
    while (task := receive(connection, RenderTask)) is not None:
        signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
        reply = perform(task)
        signal.setitimer(signal.ITIMER_PROF, 0)
        send(connection, reply)


def perform(task: RenderTask) -> RenderReply:
    """Render one text."""
    if task.diagram_theme:
        svg = draw(task.text, task.diagram_theme)
        return RenderReply(None if svg is None else Html(svg))
    placeholders = LinkPlaceholders(task.nonce)
    try:
        html = render(
            task.text,
            placeholders,
            has_anchors=task.has_anchors,
            resolve_picture=None,
            writer=FULL if task.is_highlighted else SOURCE,
        )
    except (MemoryError, RecursionError):
        return RenderReply(None)
    if len(html.text) > MAX_HTML_CHARACTERS:
        return RenderReply(None)
    return RenderReply(html, placeholders.hrefs)


def _limit() -> None:
    """Ignore the terminal's interrupt, and limit the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MAX_MEMORY_BYTES if hard == resource.RLIM_INFINITY else hard
    # macOS rejects this limit: there the CPU time limits allocations.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (min(limit, MAX_MEMORY_BYTES), hard))


if __name__ == "__main__":
    _limit()
    # A lost connection means that the server exited.
    with socket.socket(fileno=os.dup(0)) as stdin, suppress(ConnectionError):
        run(stdin)
