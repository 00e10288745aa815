"""Fixtures of the command line's tests: commands run here, in an empty folder."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.canary import Scanner

from asdlc_kb.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and an environment without settings."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for name in [name for name in os.environ if name.startswith("ASDLC_KB_")]:
        monkeypatch.delenv(name)
    return here


@pytest.fixture
def own_signals() -> Iterator[None]:
    """Give this process back what signals do to it: a server has other wishes."""
    handler = signal.getsignal(signal.SIGTERM)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    signal.signal(signal.SIGTERM, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@pytest.fixture
def invoke(own_signals: None, folder: Path, scanner: Scanner) -> Callable[..., Result]:
    """Run a command in this process; what it writes is scanned for canary text.

    `check` names files to their author, hidden ones too, so its words are not scanned.
    """

    def run(
        *arguments: str, env: dict[str, str] | None = None, stdin: str | None = None
    ) -> Result:
        result = CliRunner().invoke(
            main, arguments, input=stdin, env=env, prog_name="asdlc-kb"
        )
        if arguments[:1] != ("check",):
            scanner.scan(result.output.encode(), "cli")
        return result

    return run
