"""A stand-in for a vendor's model API: HTTP on loopback that answers from a script.

It is the proxy of its client too, which it lets reach no other host.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from support.model_api.conversation import (
    Call,
    Dialect,
    Json,
    Prompt,
    Reply,
    Script,
    UnexpectedRequest,
)

_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"


class StandIn:
    """A scripted model, and the record of its requests."""

    def __init__(self, dialect: Dialect, script: Script) -> None:
        self.prompts: list[Prompt] = []
        """What the model got with each request."""
        self.bodies: list[bytes] = []
        """All requests, byte for byte."""
        self.outbound: list[str] = []
        """Other hosts that the client tried to reach."""
        self.failures: list[Exception] = []
        """What stopped the script."""
        self._dialect = dialect
        self._script = script
        self._deferred: Call | None = None
        """A call that waits for its tool to be loaded."""
        self._finished = False
        self._lock = threading.Lock()

    def respond(self, path: str, raw: bytes) -> tuple[int, str, bytes]:
        """Return status, media type and body of the response to a POST."""
        with self._lock:
            self.bodies.append(raw)
            try:
                return self._respond(path, json.loads(raw))
            except Exception as error:
                # The test raises it again.
                self.failures.append(error)
                message = {"error": {"type": "stand_in", "message": repr(error)}}
                # No client repeats a request that was wrong.
                return 400, _JSON, json.dumps(message).encode()

    def _respond(self, path: str, body: Json) -> tuple[int, str, bytes]:
        prompt = self._dialect.read_prompt(path, body)
        if prompt is None:
            return 200, _JSON, json.dumps(self._dialect.answer_query(body)).encode()
        self.prompts.append(prompt)
        turn = len(self.prompts)
        reply = self._deferred or self._reply(prompt)
        if isinstance(reply, str) or any(t.name == reply.tool for t in prompt.tools):
            self._deferred = None
            return 200, _EVENTS, self._dialect.write_reply(reply, turn)
        if self._deferred is not None:
            raise UnexpectedRequest(f"not loaded: {reply.tool}")
        self._deferred = reply
        return 200, _EVENTS, self._dialect.load_tool(reply.tool, turn)

    def _reply(self, prompt: Prompt) -> Reply:
        """Continue the script with what the model received for its last call."""
        try:
            if not prompt.results:
                return next(self._script)
            return self._script.send(prompt.results[-1])
        except StopIteration as end:
            if self._finished:
                raise UnexpectedRequest("a request after the final text") from None
            self._finished = True
            text: str = end.value
            return text


class _Server(ThreadingHTTPServer):
    """The HTTP server of a stand-in, and the proxy of its client."""

    def __init__(self, model: StandIn) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    """Answers a client of the API; refuses what is sent to another host."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        """Answer from the script."""
        raw = self._read_body()
        if self.path.startswith("/"):
            self._send(*self.server.model.respond(self.path, raw))
        else:
            self.do_CONNECT()

    def do_GET(self) -> None:
        """Offer nothing else."""
        if self.path.startswith("/"):
            self._send(404, _JSON, b"{}")
        else:
            self.do_CONNECT()

    do_HEAD = do_GET

    def do_CONNECT(self) -> None:
        """Refuse to reach another host."""
        self.server.model.outbound.append(self.path)
        self._send(403, _JSON, b"{}")

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _send(self, status: int, media_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Suppress the log."""


@contextmanager
def standing_in(dialect: Dialect, script: Script) -> Iterator[tuple[StandIn, str]]:
    """Serve a stand-in on a free port; yield it with its address."""
    with _Server(StandIn(dialect, script)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.model, f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
