"""Tests of the command that opens the website of a running server."""

import sys
from collections.abc import Callable

import click
import pytest
from click.testing import Result
from support.answering import answering
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process
from support.rolling import find_port

Invoke = Callable[..., Result]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were opened in a browser."""
    monkeypatch.setenv("DISPLAY", ":0")
    addresses: list[str] = []

    def launch(url: str) -> int:
        addresses.append(url)
        return 0

    monkeypatch.setattr(click, "launch", launch)
    return addresses


def test_the_site_of_a_running_server_is_opened(
    invoke: Invoke, opened: list[str], knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """By the address of its banner; nothing is started."""
    with serve_process(knowledge.root, scanner=scanner) as served:
        result = invoke("open", "--port", str(served.port))
    url = f"http://127.0.0.1:{served.port}/"
    assert (result.exit_code, result.stdout) == (0, f"opened {url}\n")
    assert opened == [url]


def test_a_server_without_mcp_has_a_site(invoke: Invoke, opened: list[str]) -> None:
    """It cannot be asked what it is."""
    with answering(lambda *_: (404, {}, b"")) as url:
        port = url.split(":")[2].split("/")[0]
        result = invoke("open", "--port", port, "--no-mcp-enabled")
    assert result.exit_code == 0
    assert opened == [f"http://127.0.0.1:{port}/"]


def test_a_public_address_is_opened(invoke: Invoke, opened: list[str]) -> None:
    """Whichever machine serves it."""
    result = invoke("open", "--base-url", "https://kb.example.com/x")
    assert result.exit_code == 0
    assert opened == ["https://kb.example.com/x/"]


def test_without_a_server_the_message_says_how_to_start_one(
    invoke: Invoke, opened: list[str]
) -> None:
    """Exit code 3: no browser is opened."""
    port = find_port()
    result = invoke("open", "--port", str(port))
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == (
        f"asdlc-kb: no server is running on port {port}: start one with 'asdlc-kb "
        "serve', or name its port with --port\n"
    )
    assert invoke("open", "--port", "0").exit_code == 3
    assert opened == []


def test_another_program_is_not_opened(invoke: Invoke, opened: list[str]) -> None:
    """The port is taken, and not by a server of ours."""
    with answering(lambda *_: (404, {}, b"")) as url:
        port = url.split(":")[2].split("/")[0]
        result = invoke("open", "--port", port)
    assert (result.exit_code, opened) == (3, [])
    assert f"port {port}: in use by another program on 127.0.0.1" in result.stderr


def test_without_a_browser_the_address_is_shown(
    invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To be opened by hand."""
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(click, "launch", lambda url: 1)
    result = invoke("open", "--base-url", "https://kb.example.com")
    assert result.exit_code == 3
    assert "no browser was found: open https://kb.example.com/ " in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="others have no such variables")
def test_on_a_server_no_browser_is_started(
    invoke: Invoke, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux opens in the background, so that a failure is not seen."""
    monkeypatch.delenv("DISPLAY")
    for variable in ("WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(variable, raising=False)
    result = invoke("open", "--base-url", "https://kb.example.com")
    assert (result.exit_code, result.stdout, opened) == (3, "", [])
    assert "no browser was found: open https://kb.example.com/ " in result.stderr
    monkeypatch.setenv("BROWSER", "w3m")
    assert invoke("open", "--base-url", "https://kb.example.com").exit_code == 0
