"""Tests of probing a server as a client does: requests, and every way to fail."""

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from support.answering import Response, answering
from support.peers import BOUND
from support.rolling import find_port

from asdlc_kb.connect import probe_client
from asdlc_kb.connect.host_environment import HostEnvironment
from asdlc_kb.connect.messages import HANDSHAKE, MODERN
from asdlc_kb.connect.probe_client import HttpProbe, StdioProbe, open_transport
from asdlc_kb.connect.server_entry import ServerAddress, ServerCommand
from asdlc_kb.exceptions import ProbeFailed

JSON = {"Content-Type": "application/json"}


def result(request: bytes, value: object) -> bytes:
    """Return the answer to a request."""
    return json.dumps(
        {"jsonrpc": "2.0", "id": json.loads(request).get("id"), "result": value}
    ).encode()


def test_each_era_is_asked_with_its_own_headers() -> None:
    """2026-07-28 mirrors method and name; a session's id goes with the others."""
    seen = []

    def answer(method: str, headers: Mapping[str, str], body: bytes) -> Response:
        lower = {name.lower(): value for name, value in headers.items()}
        seen.append((method, lower, json.loads(body or b"{}")))
        return 200, {**JSON, "Mcp-Session-Id": "s1"}, result(body or b'{"id": 0}', {})

    with answering(answer) as address:
        peer = HttpProbe(ServerAddress(f"{address}?a=b"))
        assert peer.request("initialize", {}, HANDSHAKE) == {}
        assert peer.request("tools/call", {"name": "n"}, MODERN) == {}
        peer.notify("notifications/initialized", HANDSHAKE)
        peer.close()
    (
        (_, old, hello),
        (_, modern, call),
        (_, notified, notification),
        (method, ended, _),
    ) = seen
    assert (modern["mcp-method"], modern["mcp-name"]) == ("tools/call", "n")
    assert modern["mcp-protocol-version"] == MODERN
    assert "mcp-session-id" not in modern
    meta = call["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == MODERN
    assert "mcp-method" not in old
    assert "_meta" not in hello["params"]
    assert (notified["mcp-session-id"], "id" in notification) == ("s1", False)
    assert (method, ended["mcp-session-id"]) == ("DELETE", "s1")


def test_an_answer_may_come_as_a_stream() -> None:
    """After other messages, and in several lines."""

    def answer(method: str, headers: Mapping[str, str], body: bytes) -> Response:
        notification = (
            b'event: message\r\ndata: {"jsonrpc": "2.0", "method": "n"}\r\n\r\n'
        )
        lines = result(body, {"a": 1}).replace(b'"result"', b'\ndata: "result"')
        kind = {"Content-Type": "text/event-stream; charset=utf-8"}
        return 200, kind, notification + b": ping\n\ndata: " + lines + b"\n\n"

    with answering(answer) as address:
        assert HttpProbe(ServerAddress(address)).request("ping", {}, HANDSHAKE) == {
            "a": 1
        }


@pytest.mark.parametrize(
    ("status", "headers", "body", "message"),
    [
        (404, {}, b"no such page", "HTTP status 404: no such page"),
        (403, {}, b"", "HTTP status 403"),
        (
            400,
            JSON,
            b'{"id": null, "error": {"code": 1, "message": "bad"}}',
            "HTTP status 400: bad",
        ),
        (
            200,
            JSON,
            b"<html>",
            "the response is not a JSON-RPC message: a web page, perhaps of another",
        ),
        (200, JSON, b"[]", "the response is not a JSON-RPC message"),
        (200, JSON, b'{"id": 99, "result": {}}', "does not answer the request"),
        (200, JSON, b'{"id": 1, "result": 3}', "HTTP status 200: None"),
        (302, {"Location": "/else/"}, b"", "redirects to /else/, which clients do not"),
        (
            200,
            {"Content-Type": "text/event-stream"},
            b"\n\n",
            "does not answer the request",
        ),
    ],
)
def test_what_is_wrong_is_said(
    status: int, headers: Mapping[str, str], body: bytes, message: str
) -> None:
    """The error gives the operator what a client would not show."""
    with (
        answering(lambda *_: (status, headers, body)) as address,
        pytest.raises(ProbeFailed, match=message),
    ):
        HttpProbe(ServerAddress(address)).request("ping", {}, HANDSHAKE)


def test_an_address_without_mcp_is_named() -> None:
    """People know the address of the website."""
    message = r"HTTP status 404 \(the address of an MCP endpoint ends in /mcp\): Not"
    with (
        answering(lambda *_: (404, {}, b'{"error": "Not Found"}')) as address,
        pytest.raises(ProbeFailed, match=message),
    ):
        site = ServerAddress(address.removesuffix("mcp"))
        HttpProbe(site).request("ping", {}, HANDSHAKE)


def test_a_notification_may_be_refused() -> None:
    """With anything but a status of success."""
    with (
        answering(lambda *_: (500, {}, b"oh")) as address,
        pytest.raises(ProbeFailed, match="HTTP status 500: oh"),
    ):
        HttpProbe(ServerAddress(address)).notify("notifications/initialized", HANDSHAKE)


def test_a_server_that_is_not_there_is_told() -> None:
    """The port is closed, or there is no such port."""
    port = find_port()
    cases = {
        f"http://127.0.0.1:{port}/mcp": "nothing is listening at .*: start the server",
        "http://127.0.0.1:99999/mcp": "invalid host or port",
        "http://a..b/mcp": "invalid host or port",
    }
    for url, message in cases.items():
        with pytest.raises(ProbeFailed, match=message):
            HttpProbe(ServerAddress(url)).request("ping", {}, HANDSHAKE)


def test_a_server_without_tls_is_told() -> None:
    """It answers in plain text, or disconnects."""

    def answer() -> None:
        connection, _ = plain.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as plain:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{plain.getsockname()[1]}/mcp"
        with pytest.raises(ProbeFailed, match="no response: "):
            HttpProbe(ServerAddress(url)).request("ping", {}, HANDSHAKE)
        thread.join(BOUND)


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    """Bounded waits: it takes the connection and no more."""
    with (
        socket.create_server(("127.0.0.1", 0)) as mute,
        pytest.raises(ProbeFailed, match=r"no response within 0\.2 s"),
    ):
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/mcp"
        HttpProbe(ServerAddress(url), 0.2).request("ping", {}, HANDSHAKE)


def test_an_answer_without_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes: an excess is not read to its end."""
    monkeypatch.setattr(probe_client, "_MAX_RESPONSE_BYTES", 1000)
    with answering(lambda *_: (200, JSON, b"x" * 2000)) as address:
        with pytest.raises(ProbeFailed, match="larger than 1,000 bytes"):
            HttpProbe(ServerAddress(address)).request("ping", {}, HANDSHAKE)


@pytest.mark.parametrize(
    "at_once",
    [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"],
    ids=["the status", "the headers", "the body"],
)
def test_an_answer_that_comes_by_drops_is_cut(at_once: bytes) -> None:
    """One deadline for a whole answer, not one for each part of it."""

    def drip() -> None:
        connection, _ = slow.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(at_once)
            while not is_over.wait(0.01):
                connection.sendall(b"H")

    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as slow:
        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{slow.getsockname()[1]}/mcp"
        try:
            with pytest.raises(ProbeFailed, match=r"no response within 0\.5 s"):
                HttpProbe(ServerAddress(url), 0.5).request("ping", {}, HANDSHAKE)
        finally:
            is_over.set()
            thread.join(BOUND)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n", "larger than 8,388"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "larger than"),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "no response: "),
        (b"HTTP/1.1 200 OK\r\n", "no response: "),
    ],
    ids=["with a length", "in chunks", "of another protocol", "with endless headers"],
)
def test_the_memory_of_an_answer_is_bounded(answer: bytes, message: str) -> None:
    """Whatever its stated size; the rest is endless."""
    part = b"10000\r\n" + b"x" * 65536 + b"\r\n" if b"chunk" in answer else b"x" * 65536

    def send() -> None:
        connection, _ = endless.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(answer)
            while True:
                connection.sendall(part)

    with socket.create_server(("127.0.0.1", 0)) as endless:
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{endless.getsockname()[1]}/mcp"
        with pytest.raises(ProbeFailed, match=message):
            HttpProbe(ServerAddress(url)).request("ping", {}, HANDSHAKE)
        thread.join(BOUND)


def test_a_url_is_sent_in_ascii_and_without_credentials() -> None:
    """A name and a path may have any letters; a password is sent to no other host."""
    seen: list[bytes] = []

    def send() -> None:
        connection, _ = server.accept()
        with connection:
            request = b""
            while not request.endswith(b"}"):
                request += connection.recv(65536)
            seen.append(request)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + result(b'{"id": 1}', {}))

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        port = server.getsockname()[1]
        url = f"http://me:secret@127.0.0.1:{port}/ä b%20?q=ü&r=1#f"
        assert HttpProbe(ServerAddress(url)).request("ping", {}, HANDSHAKE) == {}
        thread.join(BOUND)
    (request,) = seen
    assert request.startswith(b"POST /%C3%A4%20b%20?q=%C3%BC&r=1 HTTP/1.1\r\n")
    assert f"host: 127.0.0.1:{port}\r\n".encode() in request.lower()
    assert b"authorization" not in request.lower()


def script(machine: HostEnvironment, text: str) -> ServerCommand:
    """Return a command that is a few lines of Python."""
    path = Path(machine.project) / "peer.py"
    path.write_text(text)
    return ServerCommand((sys.executable, str(path)))


ECHO = """
import json, sys
for line in sys.stdin:
    sent = json.loads(line)
    if "id" not in sent:
        print(json.dumps({"method": sent["method"]}), flush=True)
    elif sent["method"] == "fail":
        print(json.dumps({"id": sent["id"], "error": {"message": "no"}}), flush=True)
    else:
        print(json.dumps({"id": sent["id"], "result": sent["params"]}), flush=True)
"""


def test_a_command_is_asked_over_its_pipes(machine: HostEnvironment) -> None:
    """Unsolicited messages are ignored; the process ends with its input."""
    peer = open_transport(script(machine, ECHO), machine)
    assert isinstance(peer, StdioProbe)
    peer.notify("notifications/initialized", HANDSHAKE)
    assert peer.request("ping", {"a": 1}, HANDSHAKE) == {"a": 1}
    assert "_meta" in peer.request("ping", {}, MODERN)
    with pytest.raises(ProbeFailed, match="an error: no"):
        peer.request("fail", {}, HANDSHAKE)
    peer.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys; sys.exit('no content: name a folder')", "exited: no content"),
        ("", "the command exited: no error output"),
        ("print('hello', flush=True); input(); input()", "JSON-RPC message: hello"),
        ("print('x' * 20_000, end='', flush=True); input()", "larger than 9,999"),
    ],
)
def test_a_command_that_does_not_answer_is_told(
    machine: HostEnvironment, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    """With the last line of its stderr."""
    monkeypatch.setattr(probe_client, "_MAX_RESPONSE_BYTES", 9_999)
    peer = open_transport(script(machine, text), machine)
    try:
        with pytest.raises(ProbeFailed, match=message):
            peer.request("ping", {}, HANDSHAKE)
    finally:
        peer.close()


def test_a_command_that_hangs_is_killed(machine: HostEnvironment) -> None:
    """Neither the answer nor the end is waited for any longer."""
    hang = "import signal, time\nwhile True: time.sleep(600)"
    peer = StdioProbe(script(machine, hang), machine, 0.3)
    with pytest.raises(ProbeFailed, match=r"no response within 0\.3 s"):
        peer.request("ping", {}, HANDSHAKE)
    peer.close()


def test_a_command_that_cannot_be_run_is_told(machine: HostEnvironment) -> None:
    """Its path is the first thing to look at."""
    with pytest.raises(ProbeFailed, match="/gone/x cannot be run: No such file"):
        open_transport(ServerCommand(("/gone/x",)), machine)
