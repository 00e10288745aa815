"""`python -m benchmarks.pings PORT`: latency of a server's event loop.

A separate process, so that only the server delays it. It sends a `ping` two
milliseconds after the last answer, which costs the server next to nothing: what an
answer takes is how late the loop was. It ends with its standard input, and prints when
each was sent (on the clock of `time.perf_counter`) and the milliseconds that it took.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from benchmarks.client import Client
from benchmarks.requests import Wire, http_request, message

PAUSE: Final = 0.002
BOUND: Final = 60.0
"""Seconds within which the process ends."""


@contextmanager
def sending(port: int) -> Iterator[list[tuple[float, float]]]:
    """Send pings in the background; the list has the measurements afterwards."""
    seen: list[tuple[float, float]] = []
    command = [sys.executable, "-m", "benchmarks.pings", str(port)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        try:
            yield seen
        finally:
            output, _ = process.communicate(timeout=BOUND)
    seen += map(tuple, json.loads(output))


def main(arguments: Sequence[str]) -> int:
    """Send until the end of input; print the measurements."""
    seen = []
    request = http_request(message("ping", {}, 1), Wire.SESSIONLESS, {})
    with Client(int(arguments[0])) as client:
        while not select.select([sys.stdin], [], [], PAUSE)[0]:
            began = time.perf_counter()
            client.ask(request)
            seen.append((began, (time.perf_counter() - began) * 1000))
    json.dump(seen, sys.stdout)
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
