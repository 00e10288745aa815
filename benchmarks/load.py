"""Load generator: wrk, on a separate core."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.failure import BenchFailure
from benchmarks.servers import Running

SCRIPT: Final = Path(__file__).with_name("load.lua")
ERRORS: Final = ("failed", "status", "connect", "read", "write", "timeout")

MAX_SECONDS: Final = 60.0
"""Of a load of which each request is sent once."""


@dataclass(frozen=True)
class Load:
    """Measurements of one load run. Latencies are in microseconds."""

    rate: float
    """Requests a second."""
    cpu: float
    """Processor time of the server for one request, in microseconds."""
    p50: float
    p99: float


def find_wrk() -> str:
    """Return the load generator; raise BenchFailure if it is not installed."""
    program = shutil.which("wrk")
    if program is None:
        raise BenchFailure(
            "wrk is not installed: on Debian and Ubuntu `apt-get install wrk`, "
            "elsewhere see https://github.com/wg/wrk"
        )
    return program


def run(
    server: Running,
    requests: Path,
    connections: int,
    seconds: float,
    *,
    is_read: bool = False,
) -> Load:
    """Load a server; raise BenchFailure if any answer's status is not a success.

    With `is_read`, failures within answers count too; its figures are too low then.
    """
    return _run(server, requests, connections, seconds, "read" if is_read else "")


def run_once(server: Running, requests: Path, connections: int) -> Load:
    """Send each request once; raise BenchFailure as `run` does.

    The last requests, one of each connection but one, are not waited for.
    """
    return _run(server, requests, connections, MAX_SECONDS, "once")


def _run(
    server: Running, requests: Path, connections: int, seconds: float, mode: str
) -> Load:
    command = [find_wrk(), "-t1", f"-c{connections}", f"-d{seconds:.0f}s"]
    command += ["--timeout", "10s", "-s", str(SCRIPT), server.origin, "--"]
    before = server.cpu_seconds()
    finished = subprocess.run(
        [*command, str(requests), mode],
        capture_output=True,
        check=False,
        timeout=seconds + 60,
        text=True,
    )
    used = server.cpu_seconds() - before
    if finished.returncode:
        raise BenchFailure(f"wrk failed: {finished.stderr.strip()}")
    seen = json.loads(finished.stdout.strip().splitlines()[-1])
    if wrong := {kind: seen[kind] for kind in ERRORS if seen[kind]}:
        raise BenchFailure(f"{server.name} under load: {wrong}")
    return Load(
        rate=seen["requests"] / seen["microseconds"] * 1e6,
        cpu=used / max(seen["requests"], 1) * 1e6,
        p50=seen["p50"],
        p99=seen["p99"],
    )
