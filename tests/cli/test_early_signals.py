"""Signals before a server serves: none kills it, none is lost."""

import errno
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, Running, start_cli, start_command
from support.workers import STRICT

ONE = ("serve", "--port", "0")
MANY = (*ONE, "--workers", "2", "--cache-dir", "off")
BANNER = b"  Connect "


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration file that blocks its reader."""
    path = tmp_path / "settings.toml"
    os.mkfifo(path)
    return path


@pytest.fixture
def running(
    request: pytest.FixtureRequest,
    knowledge: KnowledgeBase,
    config: Path,
    scanner: Scanner,
) -> Iterator[Running]:
    """A server that has just begun to start."""
    args = (*request.param, knowledge.root, "--config", config)
    with start_cli(*args, scanner=scanner, env=STRICT) as it:
        yield it


def wait_for_reader(config: Path) -> int:
    """Wait until the settings are being read; return where to write them."""
    deadline = time.monotonic() + BOUND
    while True:
        try:
            return os.open(config, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            assert error.errno == errno.ENXIO
            assert time.monotonic() < deadline, "nobody reads the settings"
            time.sleep(0)


def test_an_interrupt_of_an_import_has_no_traceback(
    tmp_path: Path, scanner: Scanner
) -> None:
    """D-127: exit code 130, from our first line on."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Imported in place of the library, which is the first import that takes long.
    (tmp_path / "click.py").write_text(
        f"import signal\nopen({str(pipe)!r}, 'w').close()\nsignal.pause()\n"
    )
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = (sys.executable, "-m", "asdlc_kb", "--version")
    with start_command(*command, scanner=scanner, cwd=tmp_path, env=environ) as running:
        wait_for_end(pipe)
        running.signal(signal.SIGINT)
        done = running.wait()
    assert (done.code, done.stdout, done.stderr) == (130, b"", b"")


def wait_for_end(pipe: Path) -> None:
    """Wait until a program has opened and closed a pipe."""
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as source:
        waiting = select.poll()
        waiting.register(source, select.POLLHUP)
        assert waiting.poll(BOUND * 1000)


@pytest.mark.parametrize("handler", ["SIG_IGN", "SIG_DFL", "default_int_handler"])
def test_an_import_leaves_the_handler_of_interrupts(handler: str) -> None:
    """A shell's background job ignores them; another program may have its own."""
    script = (
        "import signal\n"
        f"signal.signal(signal.SIGINT, signal.{handler})\n"
        "import asdlc_kb.cli\n"
        f"assert signal.getsignal(signal.SIGINT) == signal.{handler}\n"
    )
    subprocess.run([sys.executable, "-c", script], timeout=BOUND, check=True)


@pytest.mark.parametrize(
    "running", [ONE, MANY, ("stdio",)], ids=["one", "many", "stdio"], indirect=True
)
def test_sigterm_ends_a_start_in_peace(running: Running, config: Path) -> None:
    """D-094: exit code 0, at once, without output."""
    sink = wait_for_reader(config)
    running.signal(signal.SIGTERM)
    # It may be about to block in a read.
    os.close(sink)
    done = running.wait()
    assert (done.code, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("running", [ONE, MANY], ids=["one", "many"], indirect=True)
def test_sighup_is_done_once_there_is_something_to_reload(
    running: Running, config: Path
) -> None:
    """D-095: settings saved during the start are not missed."""
    sink = wait_for_reader(config)
    running.signal(signal.SIGHUP)
    later = config.with_name("later.toml")
    later.write_text('log_level = "info"\nmax_body = 2048\n')
    later.rename(config)
    os.close(sink)
    while BANNER not in (line := running.read_line()):
        assert line, running.read_stderr()
    deadline = time.monotonic() + BOUND
    count = 2 if "--workers" in running.process.args else 1  # type: ignore[operator]
    while running.read_stderr().count(b'"reloaded"') < count:
        assert running.process.poll() is None
        assert time.monotonic() < deadline, running.read_stderr()
        time.sleep(0)
    running.signal(signal.SIGTERM)
    assert running.wait().code == 0


@pytest.mark.parametrize("running", [("stdio",)], ids=["stdio"], indirect=True)
def test_sighup_does_nothing_to_a_peer_s_own_server(
    running: Running, config: Path
) -> None:
    """It has no settings to read again."""
    sink = wait_for_reader(config)
    running.signal(signal.SIGHUP)
    running.send(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    os.close(sink)
    assert b'"result"' in running.read_line()
    running.close_stdin()
    assert running.wait().code == 0
