"""Row `streams`: a thousand waiting clients, and one change for all of them."""

import resource
import selectors
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, Final

from benchmarks import servers
from benchmarks.arithmetic import figure
from benchmarks.bench import Bench, Outcome, Section
from benchmarks.client import Client, header
from benchmarks.failure import BenchFailure
from benchmarks.requests import Wire, envelope, http_request, message
from benchmarks.servers import Running
from benchmarks.writes import save_atomically

STREAMS: Final = 1_000
MAX_STREAMS: Final = 10_000
"""For which memory is measured as well: as many as a server keeps."""
EACH: Final = 30
"""Streams per client address: a server may limit them."""
EVENT: Final = b"notifications/resources/list_changed"
BOUND: Final = 20.0
_AGENT: Final = {"name": "bench", "version": "1"}


def streams(bench: Bench) -> Outcome:
    """Measure memory per idle stream, and the time from a save to the last of them."""
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2
    )
    outcome = Outcome()
    rows = []
    times = 5 if bench.is_quick else 10
    kinds = {"subscriptions/listen": listen, "GET of a session": open_session}
    for name, connect in kinds.items():
        bench.report(f"streams, {name}")
        root = bench.folder / "watched"
        shutil.copytree(bench.corpus(300), root)
        with bench.serving(servers.OURS, root) as running, ExitStack() as stack:
            save_atomically(root, 0)
            before = running.memory()
            clients = [
                stack.enter_context(connect(running, number))
                for number in range(STREAMS)
            ]
            each = _count_kib(running, before, STREAMS)
            group = _StreamGroup(clients)
            group.drain()
            took = []
            for number in range(times):
                time.sleep(0.3)
                began = time.perf_counter()
                save_atomically(root, number + 1)
                took.append([(seen - began) * 1000 for seen in group.wait_for_all()])
                group.drain()
            most = STREAMS if bench.is_quick else MAX_STREAMS
            before = running.memory()
            for number in range(STREAMS, most):
                stack.enter_context(connect(running, number))
            further = _count_kib(running, before, most - STREAMS)
        shutil.rmtree(root)
        first, last = (median(pair[i] for pair in took) for i in (0, 1))
        spread = median(late - early for early, late in took)
        cells = (figure(each), figure(further) if further else "")
        rows.append((name, *cells, *map(figure, (first, last, spread))))
        outcome.facts[f"streams/each/{name}"] = max(each, further)
        outcome.facts[f"streams/open/{name}"] = most
        outcome.facts[f"streams/last/{name}"] = last
    outcome.sections.append(
        Section(
            f"{STREAMS:,} idle streams and one atomic save, ours, 300 articles",
            (
                "stream",
                "KiB each",
                f"up to {MAX_STREAMS:,}",
                "save to first, ms",
                "to last",
                "first to last",
            ),
            rows,
            f"Medians of {times} saves. The client is one process, so "
            "these are upper bounds.",
        )
    )
    return outcome


def _count_kib(running: Running, before: float, count: int) -> float:
    """Return the KiB of each stream since the memory was `before`, in MiB."""
    return (running.memory() - before) * 1024 / count if count else 0.0


def _source(number: int) -> str:
    """Return the address of this machine that a client comes from."""
    network, host = divmod(number // EACH, 250)
    return f"127.0.{network + 1}.{host + 1}"


def listen(running: Running, number: int) -> Client:
    """Open a stream of 2026-07-28."""
    client = Client(running.port, _source(number))
    wanted = {"resourcesListChanged": True}
    params = {"notifications": wanted, "_meta": envelope()}
    body = message("subscriptions/listen", params, number)
    headers = {"Mcp-Method": "subscriptions/listen"}
    client.socket.sendall(http_request(body, Wire.STATELESS, headers))
    _require_stream(client)
    return client


def open_session(running: Running, number: int) -> Client:
    """Open the stream of a session of 2025-11-25."""
    version = Wire.SESSIONLESS
    with Client(running.port, _source(number)) as before:
        params: dict[str, Any] = {"protocolVersion": version.value, "capabilities": {}}
        hello = message("initialize", {**params, "clientInfo": _AGENT}, 1)
        head, _ = before.exchange(http_request(hello, version, {}))
        session = {"Mcp-Session-Id": header(head, b"mcp-session-id")}
        ready = message("notifications/initialized", {}, None)
        before.exchange(http_request(ready, version, session))
    client = Client(running.port, _source(number))
    headers = {**session, "Accept": "text/event-stream"}
    client.socket.sendall(http_request(b"", version, headers, "GET"))
    _require_stream(client)
    return client


def _require_stream(client: Client) -> None:
    head = client.read_head()
    if b" 200 " not in head.split(b"\r\n")[0] + b" ":
        raise BenchFailure(f"no stream: {head[:300]!r}")


class _StreamGroup:
    """Reads many streams at once."""

    def __init__(self, clients: Sequence[Client]) -> None:
        self._selector = selectors.DefaultSelector()
        for client in clients:
            client.socket.setblocking(False)
            self._selector.register(client.socket, selectors.EVENT_READ)
        self._count = len(clients)

    def wait_for_all(self) -> tuple[float, float]:
        """Return when the first and the last stream reported the change."""
        received_at: dict[int, float] = {}
        deadline = time.perf_counter() + BOUND
        while len(received_at) < self._count:
            if time.perf_counter() > deadline:
                raise BenchFailure(
                    f"{len(received_at)} of {self._count} streams were notified"
                )
            self._read(
                1.0, lambda number: received_at.setdefault(number, time.perf_counter())
            )
        return min(received_at.values()), max(received_at.values())

    def drain(self) -> None:
        """Read what is left over."""
        while self._read(0.3, lambda number: None):
            pass

    def _read(self, patience: float, on_data: Callable[[int], object]) -> bool:
        ready = self._selector.select(patience)
        for key, _ in ready:
            data = key.fileobj.recv(65_536)  # type: ignore[union-attr]
            if not data:
                raise BenchFailure("a stream ended")
            if EVENT in data:
                on_data(key.fd)
        return bool(ready)
