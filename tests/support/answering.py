"""Servers with scripted responses, over real sockets and pipes."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

Response: TypeAlias = tuple[int, Mapping[str, str], bytes]
Answer: TypeAlias = Callable[[str, Mapping[str, str], bytes], Response]
"""Returns status, headers and body for a method, headers and body."""


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Serve on a free port; yield the address of `/mcp`."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            status, headers, body = answer(
                self.command, dict(self.headers), self.rfile.read(size)
            )
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _answer

        def log_message(self, format: str, *values: object) -> None:
            """Suppress the log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            server.shutdown()
            thread.join()
