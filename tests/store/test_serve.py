"""Servers of a store, as real processes with a real PostgreSQL (D-254 to D-258)."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from store.ingesting import VISIBLE, Ingester
from store.postgres import PostgresServer, postgres_server
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.pictures import make_png
from support.processes import BOUND, Served, run_cli, serve_process, start_command
from support.workers import find_workers

PAGES = (
    *("/", "/llms.txt", "/llms-full.txt", "/docs/handbook/", "/docs/handbook/guide/"),
    *("/docs/handbook/index.md", "/docs/handbook/guide/start.md", "/concepts/owl/"),
    *("/concepts/owl.md", "/search?q=barn", "/search.json?q=barn", "/absent/"),
    *("/docs/handbook/guide/owl.png", "/concepts/known-draft/"),
    *("/docs/handbook/known-draft/", "/docs/handbook/known-draft.md"),
)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_articles", {}),
    ("get_article", {"slug": "owl"}),
    ("get_article", {"slug": "known-draft"}),
    ("search_articles", {"query": "barn"}),
    ("search_docs", {"query": "perch"}),
    ("list_doc_pages", {}),
    ("get_doc_page", {"path": "handbook/guide/start"}),
    ("get_doc_page", {"path": "handbook/guide/start", "format": "source"}),
    ("get_doc_page", {"path": "handbook/known-draft"}),
)

HURRIED = (
    sys.executable,
    "-c",
    "from asdlc_kb.app import store_sources\nstore_sources.START_SECONDS = 0.1\n"
    "from asdlc_kb.cli import main\nmain()",
)
"""The command, with a short wait for the first content."""

Serve = Callable[..., AbstractContextManager[Served]]


class Reply(NamedTuple):
    """A response."""

    status: int
    headers: dict[str, str]
    body: bytes


class Source(NamedTuple):
    """The folders, and the database that they are written to."""

    articles: KnowledgeBase
    docs: DocsTree
    ingester: Ingester

    def ingest(self) -> dict[str, int]:
        """Write both; return the snapshots."""
        return {
            "articles": self.ingester.write(self.articles.root),
            "handbook": self.ingester.write(
                self.docs.root, "handbook", "docs", {"tree": "handbook"}
            ),
        }


@pytest.fixture
def source(tmp_path: Path, database: str) -> Source:
    """Articles and a tree with an attachment, written to a database."""
    (tmp_path / "birds").mkdir()
    return fill(tmp_path, database)


def fill(tmp_path: Path, url: str) -> Source:
    """Make the folders and write them to a database."""
    articles = KnowledgeBase(tmp_path / "birds")
    articles.write("concepts/owl", title="Owl", body="It lives in a barn.\n")
    docs = DocsTree(tmp_path / "handbook")
    docs.write("index.md", "# Handbook\n\nAll about birds in a barn.\n")
    docs.write("guide/start.md", "# Start\n\nA perch. ![owl](owl.png)\n")
    (docs.root / "guide" / "owl.png").write_bytes(make_png())
    source = Source(articles, docs, Ingester(url))
    source.ingest()
    return source


@pytest.fixture
def serve(tmp_path: Path, database: str, scanner: Scanner) -> Serve:
    """Starts servers of the database with one cache folder."""
    options = ("--store", database, "--cache-dir", str(tmp_path / "cache"))
    return partial(serve_process, None, *options, scanner=scanner, cwd=tmp_path)


def send(port: int, path: str, body: dict[str, Any] | None = None) -> Reply:
    """Return the response to a request over a new connection."""
    connection = HTTPConnection("127.0.0.1", port, timeout=BOUND)
    try:
        if body is None:
            connection.request("GET", path)
        else:
            headers = {
                "Accept": "application/json, text/event-stream",
                "Content-Type": "application/json",
            }
            connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        return Reply(response.status, dict(response.getheaders()), response.read())
    finally:
        connection.close()


def call(port: int, tool: str, arguments: dict[str, Any]) -> Any:
    """Call a tool; return its result, without what only the server's state says."""
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.loads(send(port, "/mcp", body).body)


def read_store(port: int) -> dict[str, Any]:
    """Return the state of the store in /health."""
    store: dict[str, Any] = json.loads(send(port, "/health").body)["store"]
    return store


def wait_until(condition: Callable[[], bool], seconds: float = BOUND) -> float:
    """Wait for a condition; return the seconds that it took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
        time.sleep(0.01)
    return time.monotonic() - began


def serves(port: int, snapshots: dict[str, int]) -> bool:
    """Whether a server serves these snapshots, and no others."""
    return bool(read_store(port)["snapshots"] == snapshots)


def test_answers_are_those_of_the_folder(
    source: Source, serve: Serve, tmp_path: Path, scanner: Scanner
) -> None:
    """Pages, texts, search, attachments and tools; what is hidden is missing."""
    # It names a hidden article, as do the parsed files of it on disk.
    (source.articles.root / VISIBLE).unlink()
    source.ingest()
    options = ("--docs", f"handbook={source.docs.root}", "--cache-dir", "off")
    folder = serve_process(source.articles.root, *options, scanner=scanner)
    with folder as direct, serve() as stored:
        wait_until(lambda: None not in read_store(stored.port)["snapshots"].values())
        for path in PAGES:
            assert_same_answer(path, direct, stored)
        for tool, arguments in CALLS:
            expected_result, result = (
                call(each.port, tool, arguments) for each in (direct, stored)
            )
            assert result == expected_result, tool
        assert send(stored.port, "/docs/handbook/guide/owl.png").status == 200
    for file in (tmp_path / "cache").rglob("*"):
        assert CANARY not in str(file)
        if file.is_file():
            scanner.scan(file.read_bytes(), ("on disk", file))


def assert_same_answer(path: str, direct: Served, stored: Served) -> None:
    """Request a page of both; the answers may differ in the address only."""
    expected, found = (send(each.port, path) for each in (direct, stored))
    address = str(direct.port).encode(), str(stored.port).encode()
    body = expected.body.replace(*address)
    lines = zip(found.body.splitlines(), body.splitlines(), strict=False)
    different = [pair for pair in lines if len(set(pair)) > 1]
    assert (found.status, different) == (expected.status, []), path
    assert found.body == body, path


def test_names_that_come_from_folders_are_those_of_the_folder(
    database: str, serve: Serve, tmp_path: Path, scanner: Scanner
) -> None:
    """A site without a title is called as its folder, wherever its mirror is.

    Its general pages have the language of the unnamed tree.
    """
    docs = DocsTree(tmp_path / "wetlands")
    docs.write("heron.md", "# Heron\n\nIt stands in the water.\n")
    birds = KnowledgeBase(tmp_path / "birds")
    ingester = Ingester(database)
    ingester.write(docs.root, "docs", "docs", {"language": "de"})
    ingester.write(birds.root)
    options = ("--docs", str(docs.root), "--language", "de", "--cache-dir", "off")
    folder = serve_process(birds.root, *options, scanner=scanner)
    with folder as direct, serve() as stored:
        for path in ("/", "/llms.txt", "/docs/", "/docs/heron/", "/search?q=water"):
            assert_same_answer(path, direct, stored)


def test_a_written_snapshot_is_served_within_seconds(
    source: Source, serve: Serve
) -> None:
    """D-256: /health shows the number that the writer got, then answers have it."""
    with serve("--workers", "2") as served:
        for text in ("first", "second", "third"):
            source.docs.write("index.md", f"# Handbook\n\nThe {text} text.\n")
            snapshots = source.ingest()
            wait_until(partial(serves, served.port, snapshots), 5.0)
        # Each of the workers answers some of them.
        wait_until(lambda: all(serves(served.port, snapshots) for _ in range(20)), 5.0)
        for _ in range(10):
            assert b"third" in send(served.port, "/docs/handbook/index.md").body


def test_another_worker_takes_over_the_mirror(source: Source, serve: Serve) -> None:
    """Whichever worker wrote it was killed: edits are served all the same."""
    with serve("--workers", "2") as served:
        for number in range(2):
            pids = find_workers(served, 2)
            os.kill(pids[number], signal.SIGKILL)
            find_workers(served, 2, gone=pids[number : number + 1])
            source.docs.write("index.md", f"# Handbook\n\nText {number}.\n")
            snapshots = source.ingest()
            wait_until(partial(serves, served.port, snapshots))


def test_sources_are_added_and_removed_while_it_serves(
    source: Source, serve: Serve
) -> None:
    """They need no restart."""
    with serve() as served:
        new = source.ingester.write(source.docs.root, "copy", "docs", {"tree": "copy"})
        wait_until(lambda: read_store(served.port)["snapshots"].get("copy") == new)
        assert send(served.port, "/docs/copy/").status == 200
        source.ingester.remove("copy")
        wait_until(lambda: "copy" not in read_store(served.port)["snapshots"])
        assert send(served.port, "/docs/copy/").status == 404


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A server that the test stops."""
    with postgres_server() as server:
        yield server


def test_a_database_that_is_killed_is_missed_by_no_reader(
    own_postgres: PostgresServer, tmp_path: Path, scanner: Scanner
) -> None:
    """The last content goes on, marked; a start needs only the mirror."""
    source = fill(tmp_path, own_postgres.url)
    options = ("--store", own_postgres.url, "--cache-dir", str(tmp_path / "cache"))
    serve = partial(serve_process, None, *options, scanner=scanner, cwd=tmp_path)
    with serve() as served:
        own_postgres.kill()
        wait_until(lambda: not read_store(served.port)["reachable"])
        assert json.loads(send(served.port, "/health").body)["status"] == "degraded"
        assert send(served.port, "/docs/handbook/").status == 200
        served.stop(signal.SIGKILL)
    with serve() as served:
        assert not read_store(served.port)["reachable"]
        assert send(served.port, "/docs/handbook/").status == 200
        own_postgres.start()
        source.docs.write("index.md", "# Handbook\n\nWritten after it.\n")
        snapshots = source.ingest()
        wait_until(lambda: serves(served.port, snapshots))
        assert read_store(served.port)["reachable"]
        assert b"Written after" in send(served.port, "/docs/handbook/index.md").body


def test_content_that_is_too_old_is_not_served(
    own_postgres: PostgresServer, tmp_path: Path, scanner: Scanner
) -> None:
    """D-257: 503 with Retry-After, but for probes of the process and metrics."""
    fill(tmp_path, own_postgres.url)
    options = ("--store", own_postgres.url, "--store-max-age", "2")
    cache = ("--cache-dir", str(tmp_path / "cache"))
    with serve_process(None, *options, *cache, scanner=scanner, cwd=tmp_path) as served:
        port = served.port
        # A slow start takes longer than that.
        wait_until(lambda: send(port, "/docs/handbook/").status == 200)
        own_postgres.stop()
        wait_until(lambda: send(port, "/docs/handbook/").status == 503)
        for path in ("/", "/ready", "/llms.txt", "/search?q=barn", "/absent"):
            reply = send(port, path)
            assert (reply.status, reply.headers["Retry-After"]) == (503, "30")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert send(port, "/mcp", ping).status == 503
        assert send(port, "/health").status == 200
        metrics = send(port, "/metrics").body.decode()
        assert "asdlc_kb_store_contact_age_seconds" in metrics
        own_postgres.start()
        wait_until(lambda: send(port, "/docs/handbook/").status == 200)


def test_a_start_without_mirror_and_database_fails_with_a_clear_error(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Bounded; the password is in no message."""
    url = "postgresql://kb:hunter2@127.0.0.1:1/kb"
    options = ("serve", "--store", url, "--cache-dir", str(tmp_path), "--port", "0")
    done = run_cli(*options, scanner=scanner, cwd=tmp_path, command=HURRIED)
    assert done.code == 3
    assert "to serve: the database at 127.0.0.1:1/kb cannot be reached" in done.err
    assert "--wait" in done.err
    assert "hunter2" not in done.err


def test_only_chosen_sources_are_served(source: Source, serve: Serve) -> None:
    """As by a server of a store without the others, with one cache folder for both."""
    with serve("--store-source", "handbook") as server, serve() as other:
        port, snapshots = server.port, source.ingest()
        wait_until(lambda: serves(other.port, snapshots))
        del snapshots["articles"]
        wait_until(lambda: serves(port, snapshots))
        assert send(port, "/docs/handbook/").status == 200
        assert send(port, "/concepts/owl").status == 404
        assert send(other.port, "/concepts/owl").status == 200


def test_a_start_waits_for_content_if_it_is_to(
    database: str, tmp_path: Path, scanner: Scanner
) -> None:
    """With --wait there is no limit; without a cache folder the mirror is temporary."""
    options = ("serve", "--store", database, "--cache-dir", "off", "--port", "0")
    command = (*HURRIED, *options, "--wait")
    with start_command(*command, scanner=scanner, cwd=tmp_path) as running:
        running.wait_for_event("mirror not updated")
        fill(tmp_path, database)
        while b"MCP " not in running.read_line():
            pass


def test_a_server_killed_while_it_mirrors_starts_whole(
    source: Source, serve: Serve
) -> None:
    """kill -9 at any moment: the next start serves one whole snapshot."""
    versions = {}
    for number in range(4):
        for page in range(150):
            text = f"# Page {page}\n\nIn edition {number}.\n"
            source.docs.write(f"many/page-{page}.md", text)
        versions[number] = source.ingest()
        with serve() as served:
            # Catching up takes longer than these requests.
            for _ in range(10 * number):
                read_store(served.port)
            served.stop(signal.SIGKILL)
    with serve() as served:
        wait_until(lambda: serves(served.port, versions[3]))
        full = send(served.port, "/llms-full.txt").body.decode()
        assert full.count("In edition 3.") == 150
        assert "In edition 2." not in full


def test_a_lagging_replica_delays_nothing(
    own_postgres: PostgresServer, tmp_path: Path, scanner: Scanner
) -> None:
    """It is read if it has the snapshot; until then the primary is."""
    source = fill(tmp_path, own_postgres.url)
    with own_postgres.replica() as replica:
        replica.pause_replay()
        addresses = f"{own_postgres.url},{replica.url}"
        options = ("--store", addresses, "--cache-dir", str(tmp_path / "cache"))
        with serve_process(None, *options, scanner=scanner, cwd=tmp_path) as served:
            source.docs.write("index.md", "# Handbook\n\nBeyond the replica.\n")
            snapshots = source.ingest()
            wait_until(lambda: serves(served.port, snapshots), 10.0)
            body = send(served.port, "/docs/handbook/index.md").body
            assert b"Beyond the replica." in body


def test_stdio_serves_the_store(
    source: Source, database: str, tmp_path: Path, scanner: Scanner
) -> None:
    """The same mirror, over a pipe."""
    cache = str(tmp_path / "cache")
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    client = {"name": "tests", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    asked = {"name": "search_docs", "arguments": {"query": "perch"}}
    lines = (
        {**request, "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked},
    )
    stdin = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    options = ("stdio", "--store", database, "--cache-dir", cache)
    done = run_cli(*options, scanner=scanner, stdin=stdin, cwd=tmp_path)
    assert done.code == 0
    assert "handbook/guide/start" in done.out
