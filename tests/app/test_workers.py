"""A server of several processes looks like one server to clients."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.canary import Scanner
from support.docs import DocsTree
from support.issuer import configure, make_key, sign, write_claims
from support.knowledge import KnowledgeBase
from support.loglines import captured
from support.peers import JSON, message
from support.processes import Served, run_cli, serve_process
from support.wire import BOUND, Answer, Wire, ask, dial, until
from support.workers import STRICT, find_workers, is_alive, reaching

from asdlc_kb.app.workers import WorkerParent, worker_settings
from asdlc_kb.settings import MEMORY, Settings
from asdlc_kb.temporary_folders import PREFIX

LEGACY = "2025-11-25"


@pytest.fixture
def served(knowledge: KnowledgeBase, scanner: Scanner) -> Iterator[Served]:
    """A server of two workers."""
    options = ("--workers", "2", "--cache-dir", "off")
    with serve_process(knowledge.root, *options, scanner=scanner, env=STRICT) as it:
        yield it


async def post(
    wire: Wire, sent: object, session: str = "", proof: Mapping[str, str] = {}
) -> Answer:
    """Send a legacy message on a connection; return its answer."""
    headers = {**JSON, **proof, **({"Mcp-Session-Id": session} if session else {})}
    await wire.request("POST", headers=headers, body=json.dumps(sent).encode())
    return await wire.answer()


async def shake_hands(wire: Wire, proof: Mapping[str, str] = {}) -> str:
    """Open a session; return its id."""
    client = {"name": "tests", "version": "1"}
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client}
    began = await post(wire, message("initialize", hello), proof=proof)
    session = began.headers["mcp-session-id"]
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert (await post(wire, done, session, proof)).status == 202
    return session


async def test_every_worker_answers_and_each_request_has_an_id_of_its_own(
    served: Served,
) -> None:
    """D-124: one banner, N processes behind it."""
    pids = find_workers(served, 2)
    async with reaching(served.port, pids) as wires:
        ids = [(await post(w, message("ping"))).headers["x-request-id"] for w in wires]
    assert len({request_id[:8] for request_id in ids}) == 2
    done = served.stop()
    assert (done.code, done.out.count("MCP ")) == (0, 1)


async def test_a_session_is_known_to_every_worker(
    served: Served, knowledge: KnowledgeBase
) -> None:
    """An older client may reach another worker with each connection."""
    pids = find_workers(served, 2)
    async with reaching(served.port, pids) as (home, other):
        session = await shake_hands(home)
        tools = await post(other, message("tools/list"), session)
        assert "search_articles" in json.dumps(tools.json["result"])
        uri = {"uri": "kb://article/links-to-hidden"}
        subscribed = await post(other, message("resources/subscribe", uri), session)
        assert subscribed.json["result"] == {}
        headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
        await other.request("GET", headers=headers)
        assert (await other.head()).status == 200
        knowledge.write("patterns/brand-new")
        notice = await other.notice()
        assert notice["method"].endswith("/list_changed")
        await home.request("DELETE", headers={"Mcp-Session-Id": session})
        assert (await home.answer()).status == 204
        while await other.notice() is not None:
            pass


async def test_a_session_outlives_the_worker_that_opened_it(served: Served) -> None:
    """D-125: kill -9 ends no session, in none of the workers."""
    pids = find_workers(served, 2)
    async with reaching(served.port, pids) as (home, other):
        session = await shake_hands(home)
        os.kill(pids[0], signal.SIGKILL)
        after = find_workers(served, 2, gone=pids[:1])
        assert (await post(other, message("tools/list"), session)).status == 200
    async with reaching(served.port, after) as wires:
        for wire in wires:
            assert (await post(wire, message("tools/list"), session)).status == 200


async def test_a_channel_ends_with_the_worker_that_holds_it(served: Served) -> None:
    """HTTP+SSE: others answer on its stream while it is there, then it is 404."""
    pids = find_workers(served, 2)
    async with reaching(served.port, pids) as (home, other):
        await home.request("GET", headers={"Accept": "text/event-stream"})
        assert (await home.head()).status == 200
        event, path = await home.frame() or ("", b"")
        assert event == "endpoint"
        body = json.dumps(message("ping")).encode()

        async def send() -> int:
            await other.request("POST", path.decode(), headers=JSON, body=body)
            return (await other.answer()).status

        async with asyncio.timeout(BOUND):
            while await send() == 404:
                pass
        assert await home.notice() == {"jsonrpc": "2.0", "id": 1, "result": {}}
        os.kill(pids[0], signal.SIGKILL)
        async with asyncio.timeout(BOUND):
            while await send() == 202:
                pass


async def test_a_change_is_seen_by_every_worker(
    served: Served, knowledge: KnowledgeBase
) -> None:
    """D-097: all workers agree within 2 s; each scans for itself."""
    pids = find_workers(served, 2)
    knowledge.write("concepts/new")
    asked = message("tools/call", {"name": "get_article", "arguments": {"slug": "new"}})
    async with reaching(served.port, pids) as wires:
        for wire in wires:
            async with asyncio.timeout(BOUND):
                while (await post(wire, asked)).json["result"].get("isError"):
                    pass


async def test_limits_are_counted_over_all_workers(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """D-057: calls that one worker counted reach the others soon."""
    limit = 200
    options = ("--workers", "2", "--rate-limit", f"{limit}/hour", "--log-level")
    given = (*options, "error", "--cache-dir", "off")
    with serve_process(knowledge.root, *given, scanner=scanner) as served:
        pids = find_workers(served, 2)
        async with reaching(served.port, pids) as (first, second):
            while (await post(first, message("ping"))).status == 200:
                pass
            admitted = 0
            while (await post(second, message("ping"))).status == 200:
                admitted += 1
                # What is not limited takes its time too.
                for _ in range(50):
                    await second.request("GET", "/health")
                    assert (await second.answer()).status == 200
            assert admitted < limit


async def test_only_the_first_keeps_indexes_on_disk(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """D-090: one process has a folder of indexes; its successor takes it over."""
    docs = DocsTree(tmp_path / "docs")
    docs.write("guide/plover.md", "# Plover\n\nA bird of the shore.\n")
    cache = tmp_path / "cache"
    given = ("--workers", "2", "--docs", str(docs.root), "--cache-dir", str(cache))
    asked = message(
        "tools/call", {"name": "search_docs", "arguments": {"query": "shore"}}
    )
    with serve_process(knowledge.root, *given, scanner=scanner) as served:
        for gone in ([], find_workers(served, 2)):
            for pid in gone:
                os.kill(pid, signal.SIGKILL)
            pids = find_workers(served, 2, gone)
            async with reaching(served.port, pids) as wires:
                for wire in wires:
                    found = (await post(wire, asked)).json["result"]
                    assert "plover" in json.dumps(found)
        done = served.stop()
    rows = [json.loads(line) for line in done.err.splitlines()]
    events = [row["event"] for row in rows if row["event"].startswith("index")]
    assert "index kept in memory only" not in done.err
    assert events.count("index opened") == 1
    assert done.code == 0


def test_the_others_keep_theirs_in_memory() -> None:
    """D-090: they differ in nothing else; the parent has checked the folders."""
    given = Settings(cache_dir="kept", port=1)
    assert worker_settings(given, 0) == Settings(cache_dir="kept", port=1, wait=True)
    assert worker_settings(given, 1) == Settings(cache_dir=MEMORY, port=1, wait=True)


async def test_a_worker_is_replaced_while_the_others_serve(served: Served) -> None:
    """D-125: kill -9 of a worker loses its own connections and nothing else."""
    pids = find_workers(served, 2)
    async with reaching(served.port, pids) as (first, second):
        os.kill(pids[0], signal.SIGKILL)
        assert await first.rest() == b""
        assert (await post(second, message("ping"))).status == 200
        after = find_workers(served, 2, gone=pids[:1])
    async with reaching(served.port, after) as wires:
        for wire in wires:
            assert (await post(wire, message("ping"))).status == 200
    done = served.stop()
    assert (done.code, done.err.count("worker exited")) == (0, 1)


async def test_settings_are_judged_once_and_read_by_all(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """D-095: rejected settings are one log line; accepted ones reach every worker."""
    file = tmp_path / "kb.toml"
    file.write_text("workers = 2\n")
    given = ("--config", str(file), "--cache-dir", "off")
    with serve_process(knowledge.root, *given, scanner=scanner, env=STRICT) as served:
        pids = find_workers(served, 2)
        async with reaching(served.port, pids) as wires:
            file.write_text("workers = 2\nmax_body = 1\n")
            served.running.signal(signal.SIGHUP)
            await until(lambda: b"reload refused" in served.running.read_stderr())
            file.write_text('workers = 3\nlog_level = "debug"\nmcp_enabled = false\n')
            served.running.signal(signal.SIGHUP)
            for wire in wires:
                async with asyncio.timeout(BOUND):
                    while (await post(wire, message("ping"))).status == 200:
                        pass
            # One that comes later has the new ones too.
            os.kill(pids[0], signal.SIGKILL)
            after = find_workers(served, 2, gone=pids[:1])
        async with reaching(served.port, after) as wires:
            for wire in wires:
                assert (await post(wire, message("ping"))).status == 404
        done = served.stop()
    assert done.code == 0
    assert done.err.count("reload refused") == 1
    assert done.err.count("setting needs a restart") == 1


async def test_who_comes_later_has_no_settings_that_were_refused(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """D-095: settings in force stay so, also for a replacement worker."""
    file = tmp_path / "kb.toml"
    right = f"workers = 2\ncontent = {json.dumps(str(knowledge.root))}\n"
    file.write_text(right)
    given = ("--config", str(file), "--cache-dir", "off")
    with serve_process(None, *given, scanner=scanner, env=STRICT) as served:
        pids = find_workers(served, 2)
        file.write_text('workers = 2\ncontent = "absent"\n')
        served.running.signal(signal.SIGHUP)
        await until(lambda: b"reload refused" in served.running.read_stderr())
        shown = await scrape(served.port)
        assert shown["asdlc_kb_settings_reloads_total error"] == 1
        os.kill(pids[0], signal.SIGKILL)
        after = find_workers(served, 2, gone=pids[:1])
        async with reaching(served.port, after) as wires:
            for wire in wires:
                await wire.request("GET", "/ready")
                assert (await wire.answer()).status == 200
        done = served.stop()
    assert (done.code, done.err.count("reload refused")) == (0, 1)


def broken() -> Settings:
    """Fail unexpectedly."""
    raise ZeroDivisionError


def test_no_failure_to_read_settings_ends_the_parent() -> None:
    """D-095: all workers would end with it; it is logged, and changes nothing."""
    parent = WorkerParent(Settings(workers=2), broken, lambda *_: "", print)
    with captured("asdlc_kb.app") as lines:
        assert not parent.reload()
    assert [row["event"] for row in lines.rows] == ["reload failed"]


async def test_streams_end_whole_when_all_end(served: Served) -> None:
    """D-094: each worker drains, and the parent waits for the last."""
    async with dial(served.port) as stream:
        await stream.request("GET", headers={"Accept": "text/event-stream"})
        assert (await stream.head()).status == 200
        served.running.signal(signal.SIGTERM)
        while await stream.chunk():
            pass
    assert served.running.wait().code == 0


async def test_streams_of_every_worker_end_with_the_key_that_let_them_in(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """SIGHUP: whichever worker opened the session, and whichever holds the stream."""
    ours, other = make_key("RSA"), make_key("RSA", "other")
    given = [
        part
        for name, value in configure(tmp_path, ours, other).items()
        for part in (f"--{name.replace('_', '-')}", value)
    ]
    proof = {"Authorization": f"Bearer {sign(write_claims(time.time()), key=ours)}"}
    options = ("--workers", "2", "--cache-dir", "off", *given)
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        pids = find_workers(served, 2)
        async with (
            reaching(served.port, pids) as (home, away),
            reaching(served.port, pids) as (near, _),
        ):
            for wire in (near, away):
                session = await shake_hands(home, proof)
                headers = {"Accept": "text/event-stream", "Mcp-Session-Id": session}
                await wire.request("GET", headers={**headers, **proof})
                assert (await wire.head()).status == 200
            configure(tmp_path, other)
            served.running.signal(signal.SIGHUP)
            for wire in (near, away):
                while await wire.notice() is not None:
                    pass
        assert served.stop().code == 0


async def test_workers_end_with_their_parent(served: Served) -> None:
    """D-125: kill -9 of the parent leaves no process on the port."""
    pids = find_workers(served, 2)
    served.running.signal(signal.SIGKILL)
    await until(lambda: not any(map(is_alive, pids)))
    with pytest.raises(OSError, match="Connect"):
        await ask(served.port, "GET", "/health")


def test_what_is_wrong_for_all_is_said_once(tmp_path: Path, scanner: Scanner) -> None:
    """D-127: one line and exit code 3, before any worker is started."""
    args = ("serve", "--project", tmp_path / "absent", "--port", "0", "--workers", "2")
    done = run_cli(*args, scanner=scanner, cwd=tmp_path)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)


async def scrape(port: int) -> dict[str, float]:
    """Return the samples of the metrics, by name and labels."""
    answer = await ask(port, "GET", "/metrics")
    assert answer.status == 200
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


async def test_the_metrics_are_those_of_all_workers(served: Served) -> None:
    """D-124: sums over all workers, dead ones included; memory for each."""
    pids = find_workers(served, 2)
    ping = "asdlc_kb_calls_total handshake ping ok no  2025-03-26"
    async with reaching(served.port, pids) as wires:
        for wire in wires:
            for _ in range(3):
                assert (await post(wire, message("ping"))).status == 200
    deadline = asyncio.get_running_loop().time() + BOUND
    late = "asdlc_kb_loop_lateness_seconds_count"
    while (shown := await scrape(served.port)).get(ping) != 6 or not shown[late]:
        assert asyncio.get_running_loop().time() < deadline, shown
    processes = {name for name in shown if "resident_memory" in name}
    assert processes == {f"process_resident_memory_bytes {n}" for n in (0, 1)}
    assert shown["asdlc_kb_ready"] == 1
    os.kill(pids[0], signal.SIGKILL)
    find_workers(served, 2, gone=pids[:1])
    assert (await scrape(served.port))[ping] == 6


async def test_the_statistics_of_a_killed_server_are_deleted_by_the_next(
    knowledge: KnowledgeBase, scanner: Scanner, tmp_path: Path
) -> None:
    """They may have queries, and no restart shows them."""
    options = ("--workers", "2", "--cache-dir", "off")
    env = {**STRICT, "TMPDIR": str(tmp_path)}
    folders: list[Path] = []

    async def serve_and_kill() -> None:
        with serve_process(knowledge.root, *options, scanner=scanner, env=env) as it:
            workers = find_workers(it, 2)
            folders.extend(tmp_path.glob(f"{PREFIX}*"))
            it.stop(signal.SIGKILL)
            await until(lambda: not any(map(is_alive, workers)))

    await serve_and_kill()
    await serve_and_kill()
    first, second = folders
    assert first != second
    assert list(tmp_path.glob(f"{PREFIX}*")) == [second]
