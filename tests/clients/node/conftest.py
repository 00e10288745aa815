"""Fresh homes, the clients' commands, and a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
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
