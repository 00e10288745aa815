"""Attacks on a real server, while another client uses it.

Each prints the latencies of the good client (`pytest -s`); `docs/reliability.md` has
the figures. The assertions are about errors, ends and counts, since times depend on the
machine.
"""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from support.attacked import (
    BAD,
    FULL,
    GET,
    HEAD,
    MALFORMED,
    READ,
    ask,
    attacked,
    count_events,
    post,
)
from support.attacks import Attacker, attacking, each, reach
from support.canary import Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.short_deadlines import prefix

pytestmark = pytest.mark.timeout(seconds=240)

SLOW: Final = prefix("HEAD_SECONDS", "BODY_SECONDS", "STALL_SECONDS")
IDLE: Final = prefix("IDLE_SECONDS")
ALL_CONNECTIONS: Final = ("--max-connections", "5000")
COUNT: Final = 300
STREAMS: Final = 2_000


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """Documentation of 2 MB, all of which may be requested at once, as one file."""
    tree = DocsTree(tmp_path / "docs")
    for number in range(2):
        tree.write(f"{number}.md", "# Page\n\n```\n" + "x" * 1_000_000 + "\n```\n")
    return tree


def drip(data: bytes) -> Any:
    """Return the action of a slow sender."""
    return lambda one: one.drip(data)


SLOWNESS = {
    "headers": (b"", HEAD + b"X-Padding: " + b"x" * 10_000),
    "bodies": (HEAD + b"Content-Length: 10000\r\n\r\n", b" "),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
}


@pytest.mark.parametrize("kind", SLOWNESS)
async def test_slow_senders_are_cut(
    site: KnowledgeBase, scanner: Scanner, kind: str
) -> None:
    """D-058: 300 send a byte each tenth of a second: none outlives the deadline."""
    first, rest = SLOWNESS[kind]
    async with attacked(site, scanner, *ALL_CONNECTIONS, before=SLOW) as (
        target,
        finished,
    ):
        async with attacking(target.port, COUNT, first) as attackers:
            # Each ends when the server closes the connection.
            await each(attackers, drip(rest))
        await target.is_as_before()
    assert count_events(finished, "connections closed") == COUNT


async def test_slow_readers_are_cut(
    site: KnowledgeBase, docs: DocsTree, scanner: Scanner
) -> None:
    """D-060: 300 request much and read nothing: whole responses, and streamed ones."""
    options = (*ALL_CONNECTIONS, "--docs", str(docs.root))
    async with attacked(site, scanner, *options, before=SLOW) as (target, finished):
        # The index is complete before the good client is measured.
        await reach(lambda: b"index built" in target.served.running.read_stderr())
        async with attacking(target.port, COUNT, window=4096) as attackers:
            for number, one in enumerate(attackers):
                await one.send(FULL if number % 3 else post(READ) * 8)
            await target.is_as_before()
    assert count_events(finished, "connections closed") == COUNT


async def test_idle_connections_are_cut(site: KnowledgeBase, scanner: Scanner) -> None:
    """D-058: 300 send nothing at all; nothing is logged."""
    async with attacked(site, scanner, *ALL_CONNECTIONS, before=IDLE) as (
        target,
        finished,
    ):
        async with attacking(target.port, COUNT) as attackers:
            await each(attackers, lambda one: one.wait_for_end())
        await target.is_as_before()
    assert count_events(finished, "connections closed") == 0


async def test_thousands_of_streams_are_held(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """2,000 from a hundred addresses."""
    async with attacked(site, scanner, *ALL_CONNECTIONS) as (target, finished):
        async with attacking(target.port, STREAMS, GET, each=20) as attackers:
            await each(attackers, lambda one: one.read_first())
            opened = [one for one in attackers if b" 200 OK" in one.received]
            assert len(opened) == STREAMS
            assert target.count_fds() >= target.fds + STREAMS
            print(f"\n{STREAMS} streams: {target.count_rss() - target.rss} KiB")
            # Opening them at once fills the accept queue; open ones delay no client.
            for _ in range(5):
                await target.go_on()
        await target.is_as_before()
    assert count_events(finished, "connections closed") == 0


async def test_one_address_gets_its_share_and_no_more(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """D-119: of 300 connections 64, of those 32 as streams; the others are refused."""
    async with attacked(site, scanner) as (target, finished):
        async with attacking(target.port, COUNT, each=COUNT) as attackers:
            await each(attackers, lambda one: ask(one, GET))
            status_lines = [one.received.partition(b"\r\n")[0] for one in attackers]
            assert status_lines.count(b"HTTP/1.1 200 OK") == 32
            # Some are reset before they read the response.
            assert {*status_lines} <= {
                b"HTTP/1.1 200 OK",
                b"HTTP/1.1 503 Service Unavailable",
                b"",
            }
        await target.is_as_before()
    assert count_events(finished, "connections refused") == COUNT - 64


async def test_malformed_requests_are_refused(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Thousands of twelve kinds, fifty at once: closed or 400, in few log lines."""
    async with attacked(site, scanner, *ALL_CONNECTIONS, before=SLOW) as (
        target,
        finished,
    ):
        for _ in range(10):
            for raw in MALFORMED:
                async with attacking(target.port, 20) as attackers:
                    await each(attackers, lambda one, raw=raw: ask(one, raw))  # type: ignore[misc]
                    for one in attackers:
                        assert one.received[:10] in (b"", b"HTTP/1.1 4")
        await target.is_as_before()
    assert count_events(finished, "malformed requests") > 1_000


async def test_a_storm_of_errors_is_answered(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """Thousands of bad calls on fifty connections: few lines, and no traceback."""
    calls = 100

    async def storm(one: Attacker) -> None:
        for _ in range(calls):
            await ask(one, post(BAD))
            assert one.received.startswith(b"HTTP/1.1 ")
            assert b'"error"' in one.received or b"isError" in one.received

    async with attacked(site, scanner, *ALL_CONNECTIONS) as (target, finished):
        async with attacking(target.port, 50) as attackers:
            await each(attackers, storm)
        await target.is_as_before()
    rows = [json.loads(line) for line in finished[0].err.splitlines()]
    bad = [row for row in rows if row.get("code") == -32602]
    counts = [row["number"] for row in bad if row["event"] == "requests not logged"]
    assert len(bad) - len(counts) + sum(counts) >= 50 * calls
    assert len(bad) < 10 * calls


async def test_descriptors_that_run_out_are_no_flood(
    site: KnowledgeBase, scanner: Scanner
) -> None:
    """`ulimit -n 256` and 1,000 that reconnect repeatedly: few lines, and it lasts.

    Once with the limit that it computes, and once with one that is too high.
    """
    limited = ("sh", "-c", 'ulimit -n 256 && exec "$@"', "sh")
    for options in ((), ("--max-connections", "5000")):
        async with attacked(site, scanner, *options, before=limited) as (
            target,
            finished,
        ):
            for _ in range(5):
                async with attacking(target.port, 1_000) as attackers:
                    await each(attackers, lambda one: ask(one, post(BAD)))
                    status_lines = [one.received[:13] for one in attackers]
                    # An answered connection is idle, and is closed for the next one.
                    assert {*status_lines} <= {b"HTTP/1.1 200 ", b"HTTP/1.1 503 ", b""}
            await target.is_as_before()
            async with attacking(target.port, 1, net=2) as (late,):
                await ask(late, post(BAD))
                assert late.received.startswith(b"HTTP/1.1 200")
        sent_away = count_events(finished, "connections refused")
        assert sent_away + count_events(finished, "connections closed") > 3_000
