"""Fixtures of the tests that need third-party programs: nginx, curl, openssl."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import Served, serve_process
from support.proxy import NAME, Proxy, proxying


@pytest.fixture
def served(knowledge: KnowledgeBase, scanner: Scanner) -> Iterator[Served]:
    """A server of `knowledge` that stands behind a proxy of the shipped name."""
    options = ("--allow-host", NAME, "--trusted-proxy", "127.0.0.1")
    with serve_process(knowledge.root, *options, scanner=scanner) as running:
        yield running


@pytest.fixture
def proxy(served: Served, tmp_path: Path) -> Iterator[Proxy]:
    """The shipped nginx in front of it."""
    with proxying(tmp_path / "nginx", [f"127.0.0.1:{served.port}"]) as running:
        yield running
