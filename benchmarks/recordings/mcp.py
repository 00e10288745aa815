"""Recordings of MCP over HTTP, over HTTP+SSE and over stdio."""

import json
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Any, Final

from benchmarks.recordings import calls
from benchmarks.recordings.calls import Message
from benchmarks.recordings.product import MAX_WAIT, Product, RecordingError, Server

ACCEPTS: Final = (
    "application/json, text/event-stream",
    "application/json",
    "text/event-stream",
    "text/html",
    "*/*",
    "",
)

_MAX_PAGES: Final = 20

Exchange = Callable[[str, Message], tuple[str, Any]]
"""Sends a call; returns what is recorded, and its message."""


def record_calls(prefix: str, exchange: Exchange) -> dict[str, str]:
    """Return the answer of each call, and each page of each list."""
    recording = {}
    for method, params in calls.list_calls():
        recording[f"{prefix} {calls.name_call(method, params)}"] = exchange(
            method, params
        )[0]
    for method, params in calls.LISTS:
        request_params = params
        for page in range(_MAX_PAGES):
            text, message = exchange(method, request_params)
            recording[f"{prefix} {calls.name_call(method, params)} page {page}"] = text
            cursor = calls.find_cursor(message)
            if cursor is None:
                break
            request_params = calls.with_cursor(method, params, cursor)
    return recording


class HttpSession:
    """One client over Streamable HTTP."""

    def __init__(
        self, server: Server, version: str, headers: dict[str, str] | None = None
    ) -> None:
        self._server = server
        self._version = version
        self._headers = {"Content-Type": "application/json", "Accept": ACCEPTS[0]}
        self._headers |= headers or {}

    def post(self, body: bytes, **headers: str) -> str:
        """Send a body; return what is recorded."""
        sent = self._headers | {k.replace("_", "-"): v for k, v in headers.items()}
        return self._server.show(self._server.ask("/mcp", "POST", sent, body))

    def exchange(self, method: str, params: Message) -> tuple[str, Any]:
        """Send a call as its version asks for."""
        message = calls.write_call(method, params, self._version, 1)
        sent = self._headers | self.name_headers(method, params)
        body = json.dumps(message).encode()
        answer = self._server.ask("/mcp", "POST", sent, body)
        try:
            payload = json.loads(answer.body)
        except ValueError:
            payload = None
        return self._server.show(answer), payload

    def name_headers(self, method: str, params: Message) -> dict[str, str]:
        """Return the headers that repeat a stateless request's body."""
        if self._version != calls.STATELESS:
            return {}
        headers = {"MCP-Protocol-Version": self._version, "Mcp-Method": method}
        name = params.get("name", params.get("uri"))
        if isinstance(name, str) and name.isascii() and name == name.strip():
            headers["Mcp-Name"] = name
        return headers

    def begin(self) -> str:
        """Initialize a session; return what is recorded."""
        params = calls.write_initialize(self._version)
        message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        answer = self._server.ask(
            "/mcp", "POST", self._headers, json.dumps(message).encode()
        )
        session = answer.header("Mcp-Session-Id")
        if session:
            self._headers["Mcp-Session-Id"] = session
        if self._version in ("2025-06-18", "2025-11-25"):
            self._headers["MCP-Protocol-Version"] = self._version
        return self._server.show(answer)

    def listen(self) -> AbstractContextManager["Stream"]:
        """Return the session's stream of notifications."""
        return open_stream(self._server, {**self._headers, "Accept": ACCEPTS[2]})

    def end(self) -> str:
        """Delete the session; return what is recorded."""
        return self._server.show(self._server.ask("/mcp", "DELETE", self._headers))


def record_http(
    server: Server, version: str, name: str, headers: dict[str, str] | None = None
) -> dict[str, str]:
    """Return the answers of one version over Streamable HTTP."""
    session = HttpSession(server, version, headers)
    key = f"{name} {version}"
    recording = {f"{key} initialize": session.begin()}
    initialized = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    recording[f"{key} initialized"] = session.post(initialized)
    recording |= record_calls(key, session.exchange)
    for label, body in calls.MALFORMED:
        recording[f"{key} malformed: {label}"] = session.post(body)
    for method, params in calls.NOTIFICATIONS:
        message: Message = {"jsonrpc": "2.0", "method": method}
        message["params"] = calls.add_meta(params, version)
        sent = {
            k.replace("-", "_"): v
            for k, v in session.name_headers(method, params).items()
        }
        text = session.post(json.dumps(message).encode(), **sent)
        recording[f"{key} {calls.name_call(method, params)}"] = text
    for label, batch in list_batches(version):
        recording[f"{key} batch: {label}"] = session.post(batch)
    ping = json.dumps(calls.write_call("ping", {}, version, 1)).encode()
    for label, sent in _HEADERS.items():
        recording[f"{key} headers: {label}"] = session.post(ping, **sent)
    recording[f"{key} DELETE"] = session.end()
    recording[f"{key} after DELETE"] = session.post(ping)
    return recording


_HEADERS: Final[dict[str, dict[str, str]]] = {
    "accepts JSON alone": {"Accept": "application/json"},
    "accepts HTML": {"Accept": "text/html"},
    "text/plain": {"Content-Type": "text/plain"},
    "unknown version": {"MCP_Protocol_Version": "1999-01-01"},
    "another version": {"MCP_Protocol_Version": "2025-06-18"},
    "another method": {"Mcp_Method": "tools/list"},
    "unknown session": {"Mcp_Session_Id": "nosuch"},
    "foreign origin": {"Origin": "https://evil.example"},
    "foreign host": {"Host": "evil.example"},
    "token": {"Authorization": "Bearer nosuch"},
    "encoded": {"Content_Encoding": "gzip"},
}


def list_batches(version: str) -> Iterator[tuple[str, bytes]]:
    """Yield arrays of messages."""
    ping, lists = (
        calls.write_call(method, {}, version, number)
        for number, method in ((1, "ping"), (2, "prompts/list"))
    )
    notification = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}
    yield "two", json.dumps([ping, lists]).encode()
    yield "with an error", json.dumps([ping, 7, {**lists, "method": "no"}]).encode()
    yield "notifications alone", json.dumps([notification, notification]).encode()
    yield "too many", json.dumps([ping] * 51).encode()


def record_get(server: Server, name: str) -> dict[str, str]:
    """Return the answers to GET for each kind of Accept, and to other methods."""
    recording = {}
    for accept in ACCEPTS:
        headers = {"Accept": accept} if accept else {}
        with open_stream(server, headers) as stream:
            recording[f"{name} GET /mcp, Accept: {accept}"] = stream.head
    for method in ("HEAD", "PUT", "OPTIONS", "DELETE", "PATCH"):
        recording[f"{name} {method} /mcp"] = server.show(server.ask("/mcp", method))
    return recording


def record_listen(server: Server, name: str) -> dict[str, str]:
    """Return the first event of a subscription of the stateless version."""
    wanted = {"resourcesListChanged": True, "resourceSubscriptions": [_ALPHA, "x://y"]}
    params: Message = {"notifications": wanted}
    session = HttpSession(server, calls.STATELESS)
    message = calls.write_call("subscriptions/listen", params, calls.STATELESS, 1)
    headers = {"Content-Type": "application/json", "Accept": ACCEPTS[0]}
    headers |= session.name_headers("subscriptions/listen", params)
    with open_stream(server, headers, json.dumps(message).encode()) as stream:
        return {
            f"{name} subscriptions/listen": stream.head,
            f"{name} subscriptions/listen first event": stream.read_event(),
        }


_ALPHA: Final = "kb://article/alpha"


def record_sse(server: Server, name: str) -> dict[str, str]:
    """Return the answers of 2024-11-05 over HTTP+SSE."""
    version = calls.VERSIONS[0]
    with open_stream(server, {"Accept": "text/event-stream"}) as stream:
        endpoint = stream.read_event(is_raw=True)
        path = endpoint.partition("data: ")[2].strip()
        recording = {f"{name} endpoint": server.normaliser.normalise(endpoint)}
        posts = set()

        def send(message: Message) -> None:
            headers = {"Content-Type": "application/json"}
            body = json.dumps(message).encode()
            posts.add(server.show(server.ask(path, "POST", headers, body)))

        def exchange(method: str, params: Message) -> tuple[str, Any]:
            send(calls.write_call(method, params, version, 1))
            event = stream.read_event(is_raw=True)
            message = json.loads(event.partition("data: ")[2])
            return server.normaliser.normalise(event), message

        first = exchange("initialize", calls.write_initialize(version))[0]
        recording[f"{name} initialize"] = first
        send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        recording |= record_calls(name, exchange)
        recording[f"{name} answers to POST"] = "\n\n".join(sorted(posts))
    gone = {"Content-Type": "application/json"}
    answer = server.ask("/mcp?session_id=nosuch", "POST", gone, b"{}")
    return {**recording, f"{name} unknown session": server.show(answer)}


class Stream:
    """An answer that is read event by event."""

    def __init__(self, server: Server, source: IO[bytes]) -> None:
        self._server = server
        self._source = source
        self._events = b""
        status, *lines = self._read_head()
        headers = [(k, v.strip()) for k, _, v in (x.partition(":") for x in lines)]
        normal = server.normaliser.normalise_headers(headers, "", "")
        self.head = "\n".join([status, *normal])

    def _read_head(self) -> list[str]:
        lines = []
        while line := self._source.readline().strip():
            lines.append(line.decode())
        return lines

    def read_event(self, *, is_raw: bool = False) -> str:
        """Return the next event that is no comment."""
        while True:
            while b"\n\n" not in self._events:
                self._events += self._read_chunk()
            event, _, self._events = self._events.partition(b"\n\n")
            if not event.startswith(b":"):
                text = event.decode()
                return text if is_raw else self._server.normaliser.normalise(text)

    def _read_chunk(self) -> bytes:
        size = int(self._source.readline() or b"0", 16)
        if size == 0:
            raise RecordingError("the stream ended before an event")
        chunk = self._source.read(size)
        self._source.readline()
        return chunk


@contextmanager
def open_stream(
    server: Server, headers: dict[str, str], body: bytes | None = None
) -> Iterator[Stream]:
    """Yield the answer to a request whose body may have no end."""
    lines = [f"{'GET' if body is None else 'POST'} /mcp HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Host: {server.host or f'127.0.0.1:{server.port}'}", "Connection: close"]
    lines += [] if body is None else [f"Content-Length: {len(body)}"]
    with socket.create_connection(("127.0.0.1", server.port), MAX_WAIT) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + (body or b""))
        with connection.makefile("rb") as source:
            yield Stream(server, source)


class StdioSession:
    """One client that started the product."""

    def __init__(self, product: Product, sink: IO[bytes], source: IO[bytes]) -> None:
        self._normaliser = product.normaliser
        self._sink = sink
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, args=(source,), daemon=True).start()
        self._number = 0

    def _read(self, source: IO[bytes]) -> None:
        for line in source:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, line: bytes) -> None:
        """Send one line."""
        self._sink.write(line + b"\n")
        self._sink.flush()

    def exchange_in(self, version: str) -> Exchange:
        """Return what sends a call of a version and awaits its answer."""

        def exchange(method: str, params: Message) -> tuple[str, Any]:
            self._number += 1
            message = calls.write_call(method, params, version, self._number)
            self.send(json.dumps(message).encode())
            lines, payload = self._await(self._number)
            text = "\n".join(lines)
            return text.replace(f'"id":{self._number},', '"id":<id>,'), payload

        return exchange

    def send_malformed(
        self, line: bytes, version: str, *, is_slow: bool = False
    ) -> str:
        """Send any line; return what comes before the answer to a later request.

        What is slow has an answer without an id, which may come after that one.
        """
        self.send(line)
        self._number += 1
        mark = f"mark-{self._number}"
        message = {**calls.write_call("ping", {}, version, 0), "id": mark}
        self.send(json.dumps(message).encode())
        lines = self._await(mark)[0][:-1]
        if is_slow and not lines:
            late = self._lines.get(timeout=MAX_WAIT).decode().rstrip("\n")
            lines = [self._normaliser.normalise(late)]
        return "\n".join(lines)

    def _await(self, wanted: object) -> tuple[list[str], Any]:
        lines = []
        while True:
            line = self._lines.get(timeout=MAX_WAIT)
            if not line:
                raise RecordingError(f"stdio ended before the answer to {wanted!r}")
            message = json.loads(line)
            lines.append(self._normaliser.normalise(line.decode().rstrip("\n")))
            if isinstance(message, dict) and message.get("id") == wanted:
                if "result" in message or "error" in message:
                    return lines, message


def record_stdio(product: Product, version: str, args: list[str]) -> dict[str, str]:
    """Return the answers of one version over stdio, and how the process ends."""
    key = f"stdio {version}"
    process = product.start(["stdio", *args], cwd="project")
    assert process.stdin is not None and process.stdout is not None
    try:
        session = StdioSession(product, process.stdin, process.stdout)
        exchange = session.exchange_in(version)
        recording = {f"{key} before": exchange("tools/list", {})[0]}
        first = "server/discover" if version == calls.STATELESS else "initialize"
        params = {} if first != "initialize" else calls.write_initialize(version)
        recording[f"{key} {first}"] = exchange(first, params)[0]
        if first == "initialize":
            session.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        _await_index(exchange)
        recording |= record_calls(key, exchange)
        for label, body in calls.MALFORMED:
            recording[f"{key} malformed: {label}"] = session.send_malformed(
                body, version
            )
        for method, params in calls.NOTIFICATIONS:
            message: Message = {"jsonrpc": "2.0", "method": method}
            message["params"] = calls.add_meta(params, version)
            text = session.send_malformed(json.dumps(message).encode(), version)
            recording[f"{key} {calls.name_call(method, params)}"] = text
        for label, batch in list_batches(version):
            is_slow = label != "notifications alone"
            text = session.send_malformed(batch, version, is_slow=is_slow)
            recording[f"{key} batch: {label}"] = text
        process.stdin.close()
        recording[f"{key} exit code"] = str(process.wait(MAX_WAIT))
        return recording
    finally:
        process.kill()
        process.wait()


def _await_index(exchange: Exchange) -> None:
    """Search until the full-text index answers: it is opened after the start."""
    params = {"name": "search_docs", "arguments": {"query": "xylophone"}}
    for _ in range(400):
        if "install.md" in exchange("tools/call", params)[0]:
            return
    raise RecordingError("no full-text index over stdio")
