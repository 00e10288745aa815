"""curl, a client that knows nothing of MCP, behind a proxy."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.canary import Scanner
from support.peers import JSON, STATELESS, envelope, message
from support.processes import Running, run_cli
from support.proxy import Proxy


@dataclass(frozen=True)
class Received:
    """One response, as curl received it."""

    status: int
    version: str
    """The HTTP version: `2`, `1.1`."""
    headers: Mapping[str, str]
    """Keyed by lower-case name."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


class Curl:
    """Makes requests through a proxy."""

    def __init__(self, proxy: Proxy, scanner: Scanner) -> None:
        self._proxy = proxy
        self._scanner = scanner

    def ask(self, path: str, *options: str, url: str | None = None) -> Received:
        """Make one request; return its response with any status."""
        with tempfile.TemporaryDirectory() as folder:
            head, body = Path(folder, "head"), Path(folder, "body")
            body.touch()
            done = run_cli(
                *("--dump-header", head, "--output", body, "--write-out"),
                *("%{http_code} %{http_version}", *options),
                (url or self._proxy.url) + path,
                scanner=self._scanner,
                command=self._proxy.command(),
            )
            assert done.code == 0, done.err
            status, version = done.out.split()
            lines = head.read_text(encoding="latin-1").splitlines()[1:]
            content = body.read_bytes()
        self._scanner.scan(content, ("answer to", path))
        pairs = (line.partition(": ") for line in lines if line)
        headers = {name.lower(): value for name, _, value in pairs}
        return Received(int(status), version, headers, content)

    def post(
        self, sent: Any, *options: str, path: str = "/mcp", session: str | None = None
    ) -> Received:
        """POST a message of a client that shook hands, or is about to."""
        headers = {**JSON, **({"Mcp-Session-Id": session} if session else {})}
        return self.ask(
            path, *as_options(headers), "--json", json.dumps(sent), *options
        )

    def call(self, method: str, params: Mapping[str, Any], name: str) -> Received:
        """Make a call of the newest version."""
        return self.ask("/mcp", *stateless(method, params, name))

    @contextmanager
    def stream(self, path: str, *options: str) -> Iterator["Stream"]:
        """Open a response that goes on until the block ends."""
        command = self._proxy.command("--no-buffer", *options, self._proxy.url + path)
        with tempfile.TemporaryFile() as stderr:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
            )
            running = Running(process, stderr)
            try:
                yield Stream(running)
            finally:
                process.kill()
                finished = running.wait()
                running.close_stdin()
                running.close_stdout()
                self._scanner.scan(finished.stdout, ("stream of", path))


class Stream:
    """A stream of events."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def event(self) -> tuple[str, str]:
        """Return the name and data of the next event, past comments."""
        while not (line := self._line()).startswith("event: "):
            assert line == "" or line.startswith(":"), line
        data = self._line()
        assert data.startswith("data: "), data
        return line.removeprefix("event: "), data.removeprefix("data: ")

    def comment(self) -> str:
        """Return the next line, which is a comment."""
        line = self._line()
        assert line.startswith(":"), line
        return line

    def message(self) -> Any:
        """Return the message of the next event."""
        name, data = self.event()
        assert name == "message"
        return json.loads(data)

    def _line(self) -> str:
        line = self._running.read_line()
        assert line, self._running.read_stderr()
        return line.decode().removesuffix("\n")


def as_options(headers: Mapping[str, str]) -> list[str]:
    """Return headers as options of curl."""
    return [word for pair in headers.items() for word in ("--header", ": ".join(pair))]


def stateless(method: str, params: Mapping[str, Any], name: str = "") -> list[str]:
    """Return the options of a call of the newest version."""
    version = STATELESS[-1]
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
        "Mcp-Method": method,
        **({"Mcp-Name": name} if name else {}),
    }
    sent = message(method, {**params, "_meta": envelope(version)})
    return [*as_options(headers), "--data", json.dumps(sent)]
