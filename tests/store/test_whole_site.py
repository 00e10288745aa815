"""A site with all that a text may have: from a store as from its folders."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import monotonic

import pytest
from e2e.content import write_articles, write_docs
from store.ingesting import VISIBLE
from store.postgres import PostgresServer
from store.test_query_log import FORMS
from store.test_serve import read_store, send, wait_until
from store.test_visibility import relations
from support.canary import Scanner
from support.processes import BOUND, run_cli, serve_process

from asdlc_kb.store.database import connect

FIRST = ("/", "/docs/", "/llms.txt", "/llms-full.txt", "/search.json?q=loop", "/absent")
SOURCES = ("content", "--docs", "handbook=docs")
_UNFINISHED = b'<meta http-equiv="refresh"'
_LINK = re.compile(r'(?:href|src|srcset)="(/[^"#]*)')
_LISTED = re.compile(r"\]\(https?://[^/)]+(/[^)]*)\)")


@pytest.fixture
def reader(
    tmp_path: Path, database: str, postgres: PostgresServer, scanner: Scanner
) -> str:
    """The address of a store of the site, for the role of readers."""
    write_docs(tmp_path / "docs")
    content = write_articles(tmp_path / "content")
    # It names hidden articles.
    (content / VISIBLE).unlink()
    env = {"ASDLC_KB_STORE": database}
    done = run_cli("ingest", *SOURCES, scanner=scanner, cwd=tmp_path, env=env)
    assert done.code == 0, done.err
    name = database.rpartition("/")[2]
    postgres.create_role(f"reader_{name}", "asdlc_reader")
    return postgres.url_for(f"reader_{name}", name)


def read(port: int, path: str) -> tuple[int, str, bytes]:
    """Return status, type and body, once the page is rendered."""
    deadline = monotonic() + BOUND
    while _UNFINISHED in (reply := send(port, path)).body:
        assert monotonic() < deadline, path
    body = reply.body.replace(str(port).encode(), b"PORT")
    return reply.status, reply.headers.get("Content-Type", ""), body


def crawl(port: int) -> Iterator[tuple[str, tuple[int, str, bytes]]]:
    """Yield each address of a site that another one links to, and its answer."""
    # The links of clients have the port in base64.
    found = dict.fromkeys((*FIRST, "/connect"))
    waiting = [*FIRST]
    while waiting:
        path = waiting.pop()
        status, kind, body = read(port, path)
        yield path, (status, kind, body)
        if kind.startswith("text/"):
            text = body.decode()
            linked = {*_LINK.findall(text), *_LISTED.findall(text)} - found.keys()
            found |= dict.fromkeys(linked)
            waiting += linked


def test_every_address_has_the_answer_of_the_folder(
    reader: str, tmp_path: Path, scanner: Scanner
) -> None:
    """Pages, their Markdown, pictures, downloads, scripts and lists."""
    serve = partial(serve_process, None, scanner=scanner, cwd=tmp_path)
    cache = ("--cache-dir", str(tmp_path / "cache"))
    with serve(*SOURCES, "--cache-dir", "off") as direct:
        with serve("--store", reader, *cache) as stored:
            port = stored.port
            wait_until(lambda: None not in read_store(port)["snapshots"].values())
            addresses = []
            for path, expected in crawl(direct.port):
                assert read(port, path) == expected, path
                addresses.append(path)
    kinds = {path.rpartition(".")[2] for path in addresses if "." in path}
    assert {"md", "png", "svg", "pdf", "css", "js"} <= kinds
    assert len(addresses) > 50


def test_no_row_that_a_reader_sees_has_hidden_content(reader: str) -> None:
    """Whatever the ingester reads, down to the pictures of a draft."""
    with connect(reader) as connection:
        views = [f"asdlc_kb.{name}" for name in relations(connection, "v")]
        for name in (*views, "pg_stats", "pg_stat_activity"):
            rows = connection.execute(f"SELECT t::text FROM {name} AS t".encode())
            texts = [text for (text,) in rows]
            assert texts or name == "asdlc_kb.visible_removals", name
            assert not [text for text in texts if any(form in text for form in FORMS)]
