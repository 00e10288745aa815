"""The product as processes: commands, servers over HTTP, servers over stdio."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

from benchmarks.recordings.normalisation import Normaliser

MAX_WAIT: Final = 60.0
"""Maximum seconds of one command, answer or start."""


class RecordingError(Exception):
    """The product did not start or did not answer in time."""


@dataclass(frozen=True)
class Product:
    """Command line and content of the product."""

    root: Path
    python: str
    source: Path | None = None

    @property
    def normaliser(self) -> Normaliser:
        """Replacement of the folders of this run."""
        literals = {str(self.root): "<root>", self.python: "<python>"}
        prefix = str(Path(self.python).parent.parent)
        literals |= {} if prefix == "/usr" else {prefix: "<prefix>"}
        if self.source is not None:
            literals[str(self.source.resolve())] = "<source>"
        return Normaliser(literals)

    def environment(self) -> dict[str, str]:
        """Return the variables of each process: none of the caller's settings."""
        home = str(self.root / "home")
        variables = {
            "PATH": "/usr/bin:/bin",
            "HOME": home,
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "XDG_CONFIG_HOME": f"{home}/.config",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "dumb",
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if self.source is not None:
            variables["PYTHONPATH"] = str(self.source.resolve())
        return variables

    def start(
        self, args: Sequence[str], cwd: str = "work", stderr: Path | None = None
    ) -> subprocess.Popen[bytes]:
        """Start the command line; stderr goes into a file or nowhere."""
        with open(stderr or os.devnull, "wb") as sink:
            return subprocess.Popen(
                [self.python, "-m", "asdlc_kb", *args],
                cwd=self.root / cwd,
                env=self.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=sink,
            )

    def run(
        self, args: Sequence[str], cwd: str = "work", stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [self.python, "-m", "asdlc_kb", *args],
            cwd=self.root / cwd,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="backslashreplace",
            timeout=MAX_WAIT,
            check=False,
        )

    @contextmanager
    def serving(
        self, *args: str, warm: str = "", host: str = "", log: Path | None = None
    ) -> Iterator["Server"]:
        """Yield a server over HTTP on a free port; `warm` is a path to ask for.

        The path is one of `/-/search.json`, asked for until it finds something:
        full-text indexes are opened after the start.
        """
        port = _find_port()
        process = self.start(["serve", *args, "--port", str(port)], stderr=log)
        try:
            server = Server(port, self.normaliser.with_port(port), host)
            _await_server(process, server, warm)
            yield server
        finally:
            process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


@dataclass(frozen=True)
class Answer:
    """One HTTP answer."""

    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str:
        """Return a header's value, empty if it is absent."""
        return next((v for k, v in self.headers if k.lower() == name.lower()), "")


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    normaliser: Normaliser
    host: str = ""
    """The Host header of requests, if it is not the address."""

    def ask(
        self,
        path: str,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Return the answer to a request on a new connection, read to its end."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=MAX_WAIT)
        try:
            hosts = {"Host": self.host} if self.host else {}
            connection.request(method, path, body, {**hosts, **(headers or {})})
            answer = connection.getresponse()
            return Answer(
                answer.status, answer.reason, answer.getheaders(), answer.read()
            )
        finally:
            connection.close()

    def show(self, answer: Answer) -> str:
        """Return an answer as text without what differs between runs."""
        try:
            body = answer.body.decode()
        except UnicodeDecodeError:
            body = f"<{len(answer.body)} bytes: {answer.body.hex()[:400]}>"
        normal = self.normaliser.normalise(body)
        request = answer.header("X-Request-Id")
        if request:
            normal = normal.replace(request, "<request>")
        lines = self.normaliser.normalise_headers(answer.headers, body, normal)
        return "\n".join([f"{answer.status} {answer.reason}", *lines, "", normal])


def _find_port() -> int:
    """Return a free port: a server that has a public address does not print its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _await_server(process: subprocess.Popen[bytes], server: Server, warm: str) -> None:
    end = time.monotonic() + MAX_WAIT
    while not _is_warm(server, warm):
        if process.poll() is not None:
            raise RecordingError(f"no server: exit code {process.returncode}")
        if time.monotonic() > end:
            raise RecordingError(f"the server is not ready for {warm or '/ready'}")
        time.sleep(0.05)


def _is_warm(server: Server, path: str) -> bool:
    try:
        if server.ask("/ready").status != 200:
            return False
        answer = server.ask(path) if path else None
        return answer is None or (
            answer.status == 200 and b'"total": 0' not in answer.body
        )
    except ConnectionError:
        return False
