"""Servers of a store under random edits and faults, against the oracle.

`ORACLE_SECONDS` is the duration (10 by default), `ORACLE_SEED` repeats a run's edits
and faults.
"""

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Event, Lock
from typing import Final

from store.churn_oracle import PAGES, Oracle
from store.network_link import NetworkLink, network_link
from store.postgres import postgres_server
from support.canary import Scanner
from support.processes import (
    BOUND,
    Running,
    Served,
    serve_process,
    start_command,
)
from support.publishing import find_page, open_docs, read_full

from asdlc_kb.store.database import connect
from asdlc_kb.store.schema import migrate

SECONDS: Final = float(os.environ.get("ORACLE_SECONDS", "10"))
SEED: Final = int(os.environ.get("ORACLE_SEED", random.SystemRandom().randrange(10**9)))

LAG_SECONDS: Final = 20.0
"""Time limit until all servers have the last edition, once nothing is wrong."""

ANSWER_SECONDS: Final = 20.0
"""Time limit of one answer, whatever happens to the database."""

SLOW: Final = 20_000
"""Bytes a second of a slow network; an edition has some 10,000."""

PATIENCE: Final = 0.3
"""Seconds that a round waits for a writer whose database may not answer."""


class Writer:
    """A process that writes editions, and can be killed."""

    def __init__(self, start: Callable[[], Running]) -> None:
        self._start = start
        self._running = start()
        self._is_busy = False

    def write(self, snapshot: str, seconds: float) -> bool:
        """Write a snapshot; return whether that is known to be done by then."""
        if self._is_busy and not self._answers(seconds):
            return False
        self._running.send(snapshot.encode() + b"\n")
        self._is_busy = True
        return self._answers(seconds) and "number" in self._answer

    def kill(self) -> None:
        """Kill it, and start another one."""
        self._running.signal(signal.SIGKILL)
        self._running.wait()
        self._running = self._start()
        self._is_busy = False

    def _answers(self, seconds: float) -> bool:
        stdout = self._running.process.stdout
        assert stdout is not None
        ready, _, _ = select.select([stdout], [], [], seconds)
        if ready:
            self._answer = self._running.read_line().decode()
            self._is_busy = False
        return bool(ready)


class Run:
    """A primary with a replica, a writer, two servers, and their readers."""

    def __init__(self, folder: Path, scanner: Scanner, stack: ExitStack) -> None:
        self.oracle = Oracle(SEED)
        self.random = random.Random(SEED)
        self.reads = 0
        self.lags: list[float] = []
        """Seconds until all servers had the last edition, after each fault."""
        self.killed: list[Served] = []
        self.is_over = Event()
        self._folder, self._scanner, self._stack = folder, scanner, stack
        self._lock = Lock()
        self.primary = stack.enter_context(postgres_server())
        with connect(self.primary.url) as connection:
            migrate(connection)
        self.primary.create_role("visitor", "asdlc_reader")
        self.replica = stack.enter_context(self.primary.replica())
        self.links = [
            stack.enter_context(network_link(server.port))
            for server in (self.primary, self.replica)
        ]
        self.writer = Writer(self._start_writer)
        assert self.writer.write(self.oracle.edit(), BOUND)
        # Servers of one cache folder share a mirror.
        self._caches = self.random.choice((("one", "two"), ("one", "one")))
        self.servers = [self._serve(number) for number in range(2)]

    def _locate(self, link: NetworkLink, role: str) -> str:
        """Return the address of the server behind a link, for a role."""
        server = self.primary
        return server.url_for(role).replace(f":{server.port}/", f":{link.port}/")

    def _start_writer(self) -> Running:
        program = Path(__file__).with_name("churn_writer.py")
        address = self._locate(self.links[0], "postgres")
        command = (sys.executable, program, address)
        env = {"PYTHONPATH": str(Path(__file__).parents[1])}
        return self._stack.enter_context(
            start_command(*command, scanner=self._scanner, env=env)
        )

    def _serve(self, number: int) -> Served:
        cache = str(self._folder / self._caches[number])
        addresses = ",".join(self._locate(link, "visitor") for link in self.links)
        options = ("--store", addresses, "--cache-dir", cache)
        return self._stack.enter_context(
            serve_process(None, *options, scanner=self._scanner, cwd=self._folder)
        )

    def get(self, served: Served, path: str) -> str | None:
        """Return the text at an address; None if it is missing."""
        connection = HTTPConnection("127.0.0.1", served.port, timeout=ANSWER_SECONDS)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        self._scanner.scan(body, ("answer", path))
        assert response.status in (200, 404), (response.status, path)
        return body.decode() if response.status == 200 else None

    def read(self, served: Served, choose: random.Random) -> None:
        """Read all pages, their list, or one of them, and check it."""
        oldest, page = self.oracle.oldest, choose.randrange(PAGES)
        if choose.random() < 0.5:
            path = choose.choice(("/llms-full.txt", "/llms.txt"))
            text = self.get(served, path)
            assert text is not None
            self.oracle.check(text, oldest)
        else:
            path = f"/docs/handbook/part-{page % 7}/page-{page}.md"
            self.oracle.check_page(page, self.get(served, path), oldest)
        with self._lock:
            self.reads += 1

    def keep_reading(self, seed: int) -> None:
        """Read until the run is over; only a killed server may disconnect."""
        choose = random.Random(seed)
        while not self.is_over.is_set():
            served = choose.choice(self.servers)
            try:
                self.read(served, choose)
            except (ConnectionError, HTTPException):
                assert any(each is served for each in self.killed)
            self.is_over.wait(0.01)

    def edit(self, count: int = 3) -> None:
        """Write editions, which may fail, or be written later."""
        for _ in range(count):
            self.writer.write(self.oracle.edit(), PATIENCE)

    def agree(self) -> None:
        """Wait until all servers have the last edition."""
        deadline = time.monotonic() + BOUND
        while not self.writer.write(self.oracle.describe(), BOUND):
            assert time.monotonic() < deadline, "the writer fails for ever"
        began = time.monotonic()
        for served in self.servers:
            while self.find_edition(served) != self.oracle.newest:
                assert time.monotonic() < deadline, "stale for ever"
                time.sleep(0.05)
        self.lags.append(time.monotonic() - began)
        self.oracle.oldest = self.oracle.newest

    def find_edition(self, served: Served) -> int:
        """Return the edition that a server serves."""
        text = self.get(served, "/llms-full.txt")
        assert text is not None
        return self.oracle.check(text, self.oracle.oldest)

    def rest(self) -> None:
        """Have no fault."""
        self.edit(40)

    def kill_server(self) -> None:
        """Kill a server, and start another one in its place."""
        self.edit()
        number = self.random.randrange(2)
        served = self.servers[number]
        self.killed.append(served)
        assert served.stop(signal.SIGKILL).code == -signal.SIGKILL
        self.servers[number] = self._serve(number)

    def kill_server_during_an_update(self) -> None:
        """Stop the database in it, so that it is not finished before the next start."""
        self.edit()
        with self._paused_database():
            self.kill_server()

    def kill_writer(self) -> None:
        """Kill it during a write, or soon after it."""
        for _ in range(3):
            self.edit(1)
            self.writer.write(self.oracle.edit(), self.random.uniform(0, 0.05))
            self.writer.kill()

    def kill_database(self) -> None:
        """Start it again later."""
        self.edit(1)
        self.primary.kill()
        self.edit(1)
        self.primary.start()

    def pause_database(self) -> None:
        """Have it answer nothing for some time."""
        self.edit(1)
        with self._paused_database():
            self.edit(2)

    @contextmanager
    def _paused_database(self) -> Iterator[None]:
        self.primary.pause()
        self.replica.pause()
        try:
            yield
        finally:
            self.primary.resume()
            self.replica.resume()

    def partition(self) -> None:
        """Lose what is sent to the primary, to the replica, or to both."""
        lost = self.random.choice((self.links[:1], self.links[1:], self.links))
        for link in lost:
            link.pause()
        self.edit()
        for link in lost:
            if self.random.random() < 0.5:
                link.cut()
            link.resume()

    def slow_down(self) -> None:
        """Have a slow network: a snapshot takes some seconds."""
        for link in self.links:
            link.bytes_per_second = SLOW
        self.edit()
        self.agree()
        for link in self.links:
            link.bytes_per_second = 0

    def fill_disk(self) -> None:
        """Have the database report in the middle of each write that it has no room."""
        self.primary.query(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE SQLSTATE '53100'; END $$;"
            " CREATE TRIGGER fail BEFORE INSERT ON asdlc_kb.files"
            " FOR EACH ROW EXECUTE FUNCTION fail()"
        )
        self.edit()
        self.primary.query("DROP FUNCTION fail CASCADE")

    def lag(self) -> None:
        """Have the replica fall behind: servers read the primary meanwhile."""
        self.replica.pause_replay()
        self.edit()
        self.agree()
        self.replica.resume_replay()

    def fail_over(self) -> None:
        """Promote the replica, which lacks the last editions."""
        self.replica.wait_for_replay(self.primary)
        self.replica.stop()
        self.edit()
        self.primary.kill()
        self.replica.start()
        self.edit(1)
        self.replica.promote()
        self.primary = self.replica
        self.links[0].target = self.primary.port
        self.replica = self._stack.enter_context(self.primary.replica())
        self.links[1].target = self.replica.port

    @property
    def faults(self) -> list[Callable[[], None]]:
        """What can happen, in a random order."""
        faults = [
            *(self.rest, self.kill_server, self.kill_server_during_an_update),
            *(self.kill_writer, self.kill_database, self.pause_database),
            *(self.partition, self.lag, self.fail_over),
            *(self.slow_down, self.fill_disk),
        ]
        return self.random.sample(faults, len(faults))


def play(run: Run) -> None:
    """Let each fault happen, until the time is over, while two readers read."""
    deadline = time.monotonic() + SECONDS
    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(run.keep_reading, SEED + number) for number in (1, 2)]
        try:
            faults = run.faults
            while faults:
                fault = faults.pop()
                fault()
                run.agree()
                print(f"{fault.__name__}: {run.lags[-1]:.2f} s")
                if not faults and time.monotonic() < deadline:
                    faults = run.faults
        finally:
            run.is_over.set()
        for reader in readers:
            reader.result(BOUND)


def test_nothing_is_torn_lost_leaked_or_stale_for_ever(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Kills of servers, writer and databases, pauses, partitions, a failover, no room.

    That nothing leaked is asserted by the scan of all that servers wrote and sent.
    """
    print(f"ORACLE_SEED={SEED} ORACLE_SECONDS={SECONDS:g}")
    with ExitStack() as stack:
        run = Run(tmp_path, scanner, stack)
        play(run)
        print(f"{run.oracle.newest} editions, {run.reads} reads, {run.lags}")
    assert run.reads > run.oracle.newest
    assert max(run.lags) < LAG_SECONDS
    for file in tmp_path.rglob("*"):
        if file.is_file():
            scanner.scan(file.read_bytes(), ("on disk", file))


def test_each_list_states_its_edition(tmp_path: Path) -> None:
    """Also that of an edition in which no page is visible."""
    oracle = Oracle(SEED)
    visible, _ = json.loads(oracle.describe())
    for path, text in visible.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    site = open_docs(f"handbook={tmp_path}")
    for served in (find_page(site, "/llms.txt").body, b"".join(read_full(site))):
        assert oracle.check(served.decode(), 0) == 0
