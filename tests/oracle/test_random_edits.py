"""A real server over a folder that changes at random, against the oracle.

`ORACLE_SECONDS` is the duration (10 by default), `ORACLE_SEED` repeats a run's edits.
"""

import asyncio
import json
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from support.canary import Scanner
from support.oracle import CATEGORIES, SLUGS, Oracle
from support.peers import envelope, message
from support.processes import Served, serve_process
from support.stateless import headers_of
from support.wire import dial

SECONDS = float(os.environ.get("ORACLE_SECONDS", "10"))
SEED = int(os.environ.get("ORACLE_SEED", random.SystemRandom().randrange(10**9)))
BOUND = 60.0
"""Seconds until a server agrees with an unchanged disk: two, and a reserve."""

EDITS_A_ROUND = 40


class Run:
    """One oracle, one server that is killed at times, and its readers."""

    def __init__(self, oracle: Oracle, scanner: Scanner, stack: ExitStack) -> None:
        self.oracle = oracle
        self.scanner = scanner
        self.reads = self.rounds = self.kills = 0
        self.is_over = False
        self._stack = stack
        self._served = self._start()

    def _start(self) -> Served:
        serving = serve_process(self.oracle.root, scanner=self.scanner)
        return self._stack.enter_context(serving)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool of the current server."""
        params = {"name": tool, "arguments": arguments, "_meta": envelope("2026-07-28")}
        body = json.dumps(message("tools/call", params)).encode()
        async with dial(self._served.port, self.scanner) as wire:
            await wire.request("POST", "/mcp", headers_of("tools/call", tool), body)
            answer = await wire.answer()
        self.reads += 1
        assert answer.status == 200, answer
        result: dict[str, Any] = answer.json["result"]
        return result

    async def read(self, name: str) -> str:
        """Read an article and check it; return its title, or the error instead."""
        result = await self.call("get_article", slug=name)
        text: str = result["content"][0]["text"]
        if result.get("isError"):
            return text
        article = json.loads(text)
        self.oracle.check(name, article["title"], article["content"])
        return str(article["title"])

    async def list(self) -> dict[str, str]:
        """Return the listed titles, each checked."""
        result = await self.call("list_articles", limit=1000, max_chars=80_000)
        assert len(result["content"]) == 1
        listed = json.loads(result["content"][0]["text"])
        titles = {
            a["slug"] if "/" in a["slug"] else f"{a['category']}/{a['slug']}": str(
                a["title"]
            )
            for a in listed
        }
        for name, title in titles.items():
            assert title in self.oracle.written[name], f"{name} was never {title!r}"
        return titles

    async def keep_reading(self, seed: int) -> None:
        """Read and list until the run is over; a killed server may disconnect."""
        choose = random.Random(seed)
        while not self.is_over:
            try:
                if choose.random() < 0.2:
                    await self.list()
                else:
                    category, slug = choose.choice(CATEGORIES), choose.choice(SLUGS)
                    await self.read(f"{category}/{slug}")
            except (EOFError, ConnectionError):
                assert self.kills, "a server hung up that nobody had killed"

    def kill(self) -> None:
        """Kill the server without warning, and start another."""
        self.kills += 1
        assert self._served.stop(signal.SIGKILL).code == -signal.SIGKILL
        self._served = self._start()
        self.oracle.rest()

    async def edit_at_random(self) -> None:
        """Make one round of edits; in some of them the server is killed."""
        kill_at = self.oracle.random.randrange(3 * EDITS_A_ROUND)
        for number in range(EDITS_A_ROUND):
            for saved in self.oracle.edit():
                if saved is not None:
                    # An atomic save of a known file is served at once.
                    title = await self.read(saved)
                    assert title == self.oracle.expected(saved)
                # Let the server read the file in the middle of an edit.
                await self.list()
                await self.read(self.oracle.edited)
            if number == kill_at:
                self.kill()

    async def agree(self) -> None:
        """Wait until the server agrees with the disk, for every name."""
        deadline = time.monotonic() + BOUND
        while (listed := await self.list()) != self.oracle.visible:
            differs = listed.items() ^ self.oracle.visible.items()
            assert time.monotonic() < deadline, f"stale for ever: {sorted(differs)}"
        for category in CATEGORIES:
            for slug in SLUGS:
                name = f"{category}/{slug}"
                assert await self.read(name) == self.oracle.expected(name)
        self.oracle.rest()
        self.rounds += 1


@contextmanager
def named_seed(seed: int) -> Iterator[None]:
    """Name the random seed where a run fails."""
    print(f"ORACLE_SEED={seed} ORACLE_SECONDS={SECONDS:g}")
    try:
        yield
    except BaseException as error:
        error.add_note(f"repeat with ORACLE_SEED={seed} ORACLE_SECONDS={SECONDS:g}")
        raise


async def play(run: Run, seed: int) -> None:
    """Edit, kill and agree until the time is over, while two readers read."""
    deadline = time.monotonic() + SECONDS
    async with asyncio.TaskGroup() as readers:
        for number in (1, 2):
            readers.create_task(run.keep_reading(seed + number))
        try:
            while time.monotonic() < deadline:
                await run.edit_at_random()
                await run.agree()
        finally:
            run.is_over = True


def test_never_torn_never_stale_for_ever_never_leaked_never_lost(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Random edits and kills, checked against a record of every version ever written.

    That nothing leaked is asserted by the scan of all that the server wrote.
    """
    with named_seed(SEED), ExitStack() as stack:
        run = Run(Oracle(tmp_path / "content", SEED), scanner, stack)
        asyncio.run(play(run, SEED))
        print(
            f"{run.oracle.edits} edits, {run.reads} reads, {run.rounds} rounds, "
            f"{run.kills} kills"
        )
        assert run.rounds >= 1
        assert run.reads > run.oracle.edits
        assert scanner.collect() == []
