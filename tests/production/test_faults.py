"""Faults of the machine, under load: content, disk and clock change."""

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.load import CALL, HEADERS, loading
from support.namespaces import namespaced
from support.peers import JSON, message
from support.processes import BOUND, Served, environment, serve_process
from support.proxy import find_program
from support.replicas import replicating
from support.results import read_value
from support.stateless import call
from support.wire import Answer, ask

DAY = 86_400


async def read_titles(port: int) -> frozenset[str]:
    """Return the titles of all articles that a server lists."""
    answer = await ask(port, "POST", headers=HEADERS, body=CALL)
    assert answer.status == 200
    payload = json.loads(answer.json["result"]["content"][0]["text"])
    return frozenset(article["title"] for article in payload) - {"Links to hidden"}


async def test_content_that_is_swapped_by_a_link_is_whole_at_every_replica(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-065: a release, or a ConfigMap: each list is all old or all new."""
    bases = [KnowledgeBase(tmp_path / name) for name in ("one", "two")]
    releases = []
    for base in bases:
        names = {f"{base.root.name} {number}".title() for number in range(50)}
        for name in names:
            base.write(f"patterns/{name.lower().replace(' ', '-')}", title=name)
        releases.append(frozenset(names))
    link = tmp_path / "current"
    link.symlink_to(bases[0].root)
    knowledge.root = link
    with replicating(knowledge, tmp_path, scanner=scanner) as replicas:
        async with loading(replicas.port) as load, asyncio.timeout(2 * BOUND):
            for turn in (1, 0, 1):
                await load.reach(100)
                new, old = releases[turn], releases[1 - turn]
                temporary = tmp_path / "next"
                temporary.symlink_to(bases[turn].root)
                temporary.replace(link)
                for port in replicas.ports:
                    while (found := await read_titles(port)) != new:
                        assert found == old
                    for _ in range(10):
                        assert await read_titles(port) == new
        assert load.failures == []


async def test_a_full_disk_costs_nothing_but_the_kept_index(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """No room for the index: it stays in memory, is reported once, and finds."""
    for number in range(100):
        body = "".join(f"word{number}x{n} " for n in range(400))
        knowledge.write(f"patterns/x-{number}", body=body)
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"mount -t tmpfs -o size=64k tmpfs '{disk}'; exec \"$@\""
    prefix = (*namespaced(), "sh", "-ec", script, "sh")
    options = ("--cache-dir", str(disk))
    with serve_process(knowledge.root, *options, scanner=scanner, prefix=prefix) as it:
        async with loading(it.port) as load, asyncio.timeout(BOUND):
            for number in (7, 70):
                while f"x-{number}" not in await find(it, f"word{number}x399"):
                    await load.reach(1)
            knowledge.write("patterns/late", body="Something unheardof.\n")
            while "late" not in await find(it, "unheardof"):
                await load.reach(1)
        assert load.failures == []
        lines = it.running.read_log()
        warnings = [line for line in lines if "memory only" in line["event"]]
    assert len(warnings) == 1


async def find(served: Served, query: str) -> list[str]:
    """Return the slugs of the articles that match a query."""
    arguments = {"query": query, "mode": "fulltext"}
    params = {"name": "search_articles", "arguments": arguments}
    answer = await call(served.port, "tools/call", params, "search_articles")
    articles = read_value(answer.json["result"])
    return [article["slug"] for article in articles]


class Clock:
    """The wall clock of a process, which can be moved while that runs."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.move(0)

    def move(self, seconds: int) -> None:
        """Move the clock by so many seconds."""
        temporary = self._file.with_suffix(".new")
        temporary.write_text(f"{seconds:+}")
        temporary.replace(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process."""
        shown = subprocess.run(
            [find_program("faketime"), "-m", "-f", "+0", "printenv", "LD_PRELOAD"],
            capture_output=True,
            check=True,
            text=True,
            env=environment(),
            timeout=BOUND,
        )
        return {
            "LD_PRELOAD": shown.stdout.strip(),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }


@contextmanager
def exporting_telemetry(
    knowledge: KnowledgeBase, folder: Path, *options: str, scanner: Scanner
) -> Iterator[tuple[Served, Clock]]:
    """Run a server with a wall clock that can be moved."""
    clock = Clock(folder / "clock")
    env = clock.environment
    with serve_process(knowledge.root, *options, scanner=scanner, env=env) as served:
        yield served, clock


async def read_date(served: Served) -> float:
    """Return the current date of a server."""
    answer = await ask(served.port, "GET", "/health")
    return parsedate_to_datetime(answer.headers["date"]).timestamp()


@pytest.mark.parametrize("days", [1, -1, 400, -400])
async def test_a_clock_that_is_moved_neither_hides_a_change_nor_ends_a_session(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner, days: int
) -> None:
    """D-098: only displayed dates follow it."""
    knowledge.write("patterns/x", title="Before")
    with exporting_telemetry(knowledge, tmp_path, scanner=scanner) as (served, clock):
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        hello["clientInfo"] = {"name": "tests", "version": "1"}
        opened = await post(served, message("initialize", hello))
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        async with loading(served.port) as load, asyncio.timeout(BOUND):
            await load.reach(100)
            before = await read_date(served)
            clock.move(days * DAY)
            assert abs(await read_date(served) - before - days * DAY) < 2 * BOUND
            for title in ("Atomic", "Another"):
                knowledge.write("patterns/x", title=title)
                while title not in await read_titles(served.port):
                    await load.reach(1)
            path = knowledge.root / "patterns" / "x.md"
            path.write_text(path.read_text().replace("Another", "In Place"))
            while "In Place" not in await read_titles(served.port):
                await load.reach(1)
        assert load.failures == []
        assert (await post(served, message("ping", {}), session)).status == 200


async def test_a_clock_that_is_moved_is_no_way_around_a_limit(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-098: windows of time are measured by the monotonic clock."""
    options = ("--rate-limit", "5/hour")
    with exporting_telemetry(knowledge, tmp_path, *options, scanner=scanner) as (
        served,
        clock,
    ):
        for _ in range(5):
            assert (await post(served, message("ping", {}))).status == 200
        for days in (0, 1, -1, 0):
            clock.move(days * DAY)
            refused = await post(served, message("ping", {}))
            assert refused.status == 429
            assert 0 < int(refused.headers["retry-after"]) <= 7200


async def post(
    served: Served, sent: object, further: dict[str, str] | None = None
) -> Answer:
    """Send a message on a connection of its own."""
    headers = {**JSON, **(further or {})}
    body = json.dumps(sent).encode()
    return await ask(served.port, "POST", headers=headers, body=body)
