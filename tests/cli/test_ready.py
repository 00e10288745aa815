"""Tests of the health check of the image."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import Result
from support.answering import answering
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import list_loaded, serve_process
from support.rolling import find_port
from support.tls import make_certificate

Invoke = Callable[..., Result]


@pytest.mark.parametrize("host", ["", "127.0.0.1", "0.0.0.0", "::"])
def test_a_server_that_is_ready_is_found_by_its_settings(
    invoke: Invoke, knowledge: KnowledgeBase, scanner: Scanner, host: str
) -> None:
    """Docker runs the check with the environment of the server."""
    with serve_process(knowledge.root, "--host", host, scanner=scanner) as served:
        env = {"ASDLC_KB_HOST": host, "ASDLC_KB_PORT": str(served.port)}
        result = invoke("ready", env=env)
    shown = "[::1]" if host == "::" else "127.0.0.1"
    url = f"http://{shown}:{served.port}/ready"
    assert (result.exit_code, result.stdout) == (0, f"{url}: ready\n")


def test_https_is_asked_as_https(
    invoke: Invoke, knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """The certificate is for the public name, and not verified."""
    options = make_certificate(tmp_path).options
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        result = invoke("ready", *options, "--port", str(served.port))
        assert result.exit_code == 0
        # The check of before: HTTP, whatever the server speaks.
        assert invoke("ready", "--port", str(served.port)).exit_code != 0


def test_a_server_that_is_not_ready_is_exit_code_1(invoke: Invoke) -> None:
    """As `doctor`: 1 is a finding."""
    with answering(lambda *_: (503, {}, b"")) as url:
        port = str(urlsplit(url).port)
        result = invoke("ready", "--port", port)
    assert (result.exit_code, result.stdout) == (
        1,
        f"http://127.0.0.1:{port}/ready: HTTP status 503\n",
    )


def test_no_server_is_exit_code_3(invoke: Invoke) -> None:
    """With the address that was tried."""
    port = find_port()
    result = invoke("ready", "--port", str(port))
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"http://127.0.0.1:{port}/ready: no response" in result.stderr


def test_the_check_loads_nothing_of_a_server() -> None:
    """It runs every ten seconds, on the server's processors."""
    loaded = list_loaded("import asdlc_kb.cli.ready, sys; print(*sys.modules)")
    assert not loaded & {"asdlc_kb.app", "tornado", "asdlc_kb.articles", "tantivy"}
