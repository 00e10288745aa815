"""Tests of `doctor`: its output and its exit code."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from support.canary import Scanner
from support.processes import Served, serve_process

Invoke = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home and an empty PATH."""
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A documentation tree without a fault."""
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# A\n")
    return root


@pytest.fixture
def served(tree: Path, scanner: Scanner) -> Iterator[Served]:
    """A server of the tree."""
    with serve_process(
        None, "--docs", str(tree), scanner=scanner, cwd=tree.parent
    ) as it:
        yield it


def test_all_is_well(invoke: Invoke, home: Path, tree: Path, served: Served) -> None:
    """Exit code 0, every subject on a line, then the verdict; nothing on stderr."""
    arguments = ("--docs", str(tree), "--port", str(served.port), "--poll")
    result = invoke("doctor", *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    subjects = [
        line.split(":")[0] for line in result.stdout.splitlines() if line[0] != " "
    ]
    assert subjects == [
        "ok       Python",
        "ok       Packages",
        "ok       Settings",
        "ok       Docs",
        "ok       Watching docs",
        "ok       Index of docs",
        f"ok       Port {served.port}",
        "ok       Server, server/discover",
        "ok       Server, initialize",
        "ok       Clients",
        "All checks passed",
    ]


def test_a_client_that_leads_here_is_told(
    invoke: Invoke, home: Path, tree: Path, served: Served
) -> None:
    """After `connect`, with the same flags."""
    port = ("--port", str(served.port))
    assert invoke("connect", "cursor", *port).exit_code == 0
    result = invoke("doctor", "--docs", str(tree), *port)
    line = f"ok       Cursor: `knowledge-base` in {home}/.cursor/mcp.json points to http://"
    assert line in result.stdout
    result = invoke("doctor", "--docs", str(tree), *port, "--name", "kb")
    assert line in result.stdout


def test_a_warning_is_exit_code_1(invoke: Invoke, home: Path, tree: Path) -> None:
    """With the advice on a line of its own."""
    named = ("--name", "kb")
    other = ("--url", "http://else/mcp", *named)
    assert invoke("connect", "cursor", *other).exit_code == 0
    result = invoke("doctor", "--docs", str(tree), "--port", "0", "--poll", *named)
    assert result.exit_code == 1
    assert (
        f"warning  Cursor: `kb` in {home}/.cursor/mcp.json points to "
        "http://else/mcp, not to http://127.0.0.1:0/mcp\n"
        "         asdlc-kb connect cursor --name kb --force "
        "--url http://127.0.0.1:0/mcp\n"
    ) in result.stdout


def test_a_failure_is_exit_code_3(invoke: Invoke, home: Path) -> None:
    """In the JSON output as well."""
    result = invoke("doctor", "gone", "--port", "0", "--json")
    assert result.exit_code == 3
    rows = json.loads(result.stdout)
    (failed,) = (row for row in rows if row["level"] == "failure")
    assert failed["subject"] == "Articles"
    assert failed["hint"].startswith("create it, or start with --wait")
    assert failed.keys() == {"level", "subject", "message", "hint"}
    last = invoke("doctor", "gone", "--port", "0").stdout.splitlines()[-1]
    assert re.fullmatch(r"Found 1 failure( and \d+ warnings?)?", last)


def test_an_address_can_be_asked(
    invoke: Invoke, home: Path, tree: Path, served: Served
) -> None:
    """From another machine: no port of this one is checked."""
    url = f"http://127.0.0.1:{served.port}/mcp"
    result = invoke("doctor", "--docs", str(tree), "--poll", "--url", url)
    assert result.exit_code == 0
    assert "Port" not in result.stdout
    assert f"initialize: {url}: asdlc-knowledge-base" in result.stdout
    result = invoke("doctor", "--url", "not an address")
    assert (result.exit_code, result.stdout) == (2, "")


def test_nothing_is_changed(invoke: Invoke, home: Path, tree: Path) -> None:
    """Neither a home nor a cache is written."""
    cache = home / "cache"
    arguments = ("--docs", str(tree), "--cache-dir", str(cache), "--port", "0")
    assert invoke("doctor", *arguments).exit_code in (0, 1)
    assert list(home.iterdir()) == []
