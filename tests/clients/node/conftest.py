"""Fresh homes, the clients' commands, a server, and a library for coding agents."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
from support.coding_tasks import Library, Run, run_tasks, serve_library
from support.command_lines import install_packages
from support.processes import Served, serve_process

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with the clients' commands."""
    return install_packages()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that no client has used."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def served(tmp_path: Path, scanner: Scanner) -> Iterator[Served]:
    """Serve the project's own content in a process of its own."""
    with serve_process(ROOT / "content", scanner=scanner, cwd=tmp_path) as it:
        yield it


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Serve the library of coding agents; fail if canary text left the server."""
    scanner = Scanner()
    with serve_library(tmp_path_factory.mktemp("library"), scanner) as it:
        yield it
    assert scanner.collect() == []


@pytest.fixture(scope="session")
def run(
    library: Library, programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Run]:
    """Start tasks of coding agents, each in a home that no client has used."""
    with run_tasks(library, programs, tmp_path_factory.mktemp) as start:
        yield start
