"""Fixtures of the command line's tests: commands run here, in an empty folder."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.canary import Scanner

from asdlc_kb.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and an environment without settings."""
    current = tmp_path / "here"
    current.mkdir()
    monkeypatch.chdir(current)
    for name in [name for name in os.environ if name.startswith("ASDLC_KB_")]:
        monkeypatch.delenv(name)
    return current


@pytest.fixture
def own_signals() -> Iterator[None]:
    """Restore the signal handlers of this process: a server installs its own."""
    handler = signal.getsignal(signal.SIGTERM)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    signal.signal(signal.SIGTERM, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@pytest.fixture
def invoke(own_signals: None, folder: Path, scanner: Scanner) -> Callable[..., Result]:
    """Run a command in this process; its output is scanned for canary text.

    `check` names hidden files too, for their author, so its output is not scanned.
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


@pytest.fixture
def home(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that only Cursor and Zed have used, and an empty PATH."""
    path = tmp_path / "home"
    for name in (".cursor", ".config/zed"):
        (path / name).mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in (
        *("XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME"),
        *("CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME"),
    ):
        monkeypatch.delenv(name, raising=False)
    return path


@pytest.fixture
def rows(
    invoke: Callable[..., Result], home: Path
) -> Callable[..., tuple[int, list[dict[str, Any]]]]:
    """Run `connect ... --json`; return the code and the rows."""

    def run(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
        result = invoke("connect", *arguments, "--json")
        return result.exit_code, json.loads(result.stdout)

    return run
