"""Verification of answers: before and after the load, and against a fresh server."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench
from benchmarks.client import Client, result_of
from benchmarks.failure import BenchFailure
from benchmarks.requests import ToolCall
from benchmarks.servers import Running, Server


def collect(server: Running, calls: Sequence[ToolCall]) -> list[Any]:
    """Return the result of each call; raise BenchFailure if one is a failure."""
    results = []
    with Client(server.port) as client:
        for number, ask in enumerate(calls, 1):
            body = client.ask(ask.request(number, server.wire))
            results.append(None if server.server.is_fixed else result_of(body, number))
    return results


def collect_fresh(
    bench: Bench, server: Server, root: Path, calls: Sequence[ToolCall]
) -> list[Any]:
    """Return the answers of a freshly started server, one per request."""
    with bench.serving(server, root) as running:
        return collect(running, calls)


def require_same(
    server: Running, calls: Sequence[ToolCall], expected: Sequence[Any]
) -> None:
    """Repeat the calls; raise BenchFailure unless every result is equal."""
    for ask, seen, wanted in zip(calls, collect(server, calls), expected, strict=True):
        if seen != wanted:
            raise BenchFailure(f"{server.name}: another answer to {ask}")


def require_like(
    server: Running, calls: Sequence[ToolCall], ours: Sequence[Any]
) -> None:
    """Raise BenchFailure unless a peer does the same work as we do.

    Lists of the same length (order among equals is its own), articles of equal text.
    """
    for ask, seen, expected in zip(calls, collect(server, calls), ours, strict=True):
        if seen is not None and _gist(seen) != _gist(expected):
            raise BenchFailure(f"{server.name} does other work for {ask}")


def _gist(result: Any) -> Any:
    payload = json.loads(result["content"][0]["text"])
    return (
        len(payload)
        if isinstance(payload, list)
        else (payload["slug"], payload["content"])
    )
