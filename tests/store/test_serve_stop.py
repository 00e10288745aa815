"""The end of servers of a database that accepts connections but answers nothing."""

import json
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic

import pytest
from store.ingesting import Ingester
from store.postgres import postgres_server
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, Served, serve_process

MAX_NOTICE_SECONDS = 2.0
"""Time after SIGTERM until a server is not ready any more."""


def get(port: int, path: str) -> tuple[int, bytes]:
    """Return the status and the body of a response; 0 without a connection."""
    opened = HTTPConnection("127.0.0.1", port, timeout=BOUND)
    with suppress(OSError, HTTPException), closing(opened) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
    return 0, b""


def wait_for_contact(served: Served, is_expected: Callable[[float], bool]) -> None:
    """Wait for seconds since the last contact to the database."""
    deadline = monotonic() + BOUND
    age = None
    while age is None or not is_expected(age):
        assert monotonic() < deadline
        age = json.loads(get(served.port, "/health")[1])["store"]["secondsSinceContact"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_database_that_hangs_does_not_delay_the_end(
    tmp_path: Path, scanner: Scanner, workers: str
) -> None:
    """D-094: not ready at once, and the end is in time, of the workers too."""
    articles = KnowledgeBase(tmp_path / "birds")
    articles.write("concepts/owl", title="Owl", body="It lives in a barn.\n")
    with postgres_server() as postgres:
        Ingester(postgres.url).write(articles.root)
        options = (
            "--store",
            postgres.url,
            "--workers",
            workers,
            "--log-level",
            "error",
        )
        cache = ("--cache-dir", str(tmp_path / "cache"))
        serving = serve_process(None, *options, *cache, scanner=scanner, cwd=tmp_path)
        with serving as served:
            # The contact of the start, then one of a poll.
            wait_for_contact(served, lambda age: age > 0.5)
            wait_for_contact(served, lambda age: age < 0.5)
            postgres.pause()
            try:
                # The next poll has begun.
                wait_for_contact(served, lambda age: age > 1.2)
                served.running.signal()
                began = monotonic()
                while get(served.port, "/ready")[0] == 200:
                    assert monotonic() < began + MAX_NOTICE_SECONDS
                finished = served.running.wait()
            finally:
                postgres.resume()
    assert finished.code == 0, finished.err
    assert "did not stop in time" not in finished.err
    assert "Traceback" not in finished.err
