"""The rendering process: each text has limits of CPU time and memory."""

import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from asdlc_kb.markup import render_worker
from asdlc_kb.markup.html_renderer import CodeBlock, Html
from asdlc_kb.markup.render_protocol import RenderReply, RenderTask, receive, send

BOUND = 60.0


@contextmanager
def started(cwd: Path) -> Iterator[tuple[socket.socket, "subprocess.Popen[bytes]"]]:
    """Run the process in a folder; yield a connection to it."""
    parent, child = socket.socketpair()
    parent.settimeout(BOUND)
    command = [sys.executable, "-P", "-m", "asdlc_kb.markup.render_worker"]
    with parent, subprocess.Popen(command, stdin=child.fileno(), cwd=cwd) as process:
        child.close()
        try:
            yield parent, process
        finally:
            process.kill()


def ask(connection: socket.socket, task: RenderTask) -> RenderReply | None:
    """Render a text."""
    send(connection, task)
    return receive(connection, RenderReply)


def test_it_renders_one_text_after_another_until_the_connection_ends(
    tmp_path: Path,
) -> None:
    """Links are placeholders, numbered by their targets; code is listed."""
    with started(tmp_path) as (connection, process):
        text = "[a](/x) [b](/y) [c](/x)\n\n```py\nx = 1\n```\n"
        reply = ask(connection, RenderTask(text, "NONCE"))
        assert reply is not None
        assert reply.hrefs == ("/x", "/y")
        assert reply.html is not None
        assert reply.html.text.count('href="kb:NONCE-0"') == 2
        assert '<span class="o">=</span>' in reply.html.text
        assert reply.html.code == (CodeBlock(3, "py", 6),)
        plain = ask(connection, RenderTask(text, "NONCE", is_highlighted=False))
        assert plain is not None
        assert plain.html is not None
        assert "<code>x = 1\n</code>" in plain.html.text
        connection.close()
        assert process.wait(BOUND) == 0


def test_a_text_that_takes_too_long_ends_the_process(tmp_path: Path) -> None:
    """Also within one match of a regular expression, which cannot be interrupted."""
    with started(tmp_path) as (connection, process):
        assert ask(connection, RenderTask('```cddl\n"' + "\\" * 40, "n")) is None
        assert process.wait(BOUND) < 0


def test_nothing_is_imported_from_the_working_directory(tmp_path: Path) -> None:
    """The folder may hold an untrusted project."""
    for name in ("nh3", "msgspec", "asdlc_kb"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)\n")
    with started(tmp_path) as (connection, _):
        reply = ask(connection, RenderTask("x", "n"))
        assert reply is not None
        assert reply.html == Html("<p>x</p>\n")


def test_a_text_that_needs_too_much_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So is one with HTML that browsers could not display."""

    def exhaust(*_: object, **__: object) -> Html:
        raise MemoryError

    assert render_worker.perform(RenderTask("x", "n")).html is not None
    monkeypatch.setattr(render_worker, "MAX_HTML_CHARACTERS", 3)
    assert render_worker.perform(RenderTask("x", "n")) == RenderReply(None)
    monkeypatch.setattr(render_worker, "render", exhaust)
    assert render_worker.perform(RenderTask("x", "n")) == RenderReply(None)


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no /proc")
def test_its_memory_is_limited(tmp_path: Path) -> None:
    """By the kernel."""
    with started(tmp_path) as (connection, process):
        ask(connection, RenderTask("x", "n"))
        limit = resource.prlimit(process.pid, resource.RLIMIT_AS)[0]
        assert 0 < limit <= render_worker.MAX_MEMORY_BYTES
