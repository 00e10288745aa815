"""Files of the search index that another program damages while the server runs."""

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.processes import Served, serve_process
from support.stateless import call
from support.wire import BOUND, until

PAGES = 60
TEXT = (
    "# Page {0}\n\nIt tells of plover{0} and of the shore.\n\n## More\n\nOf tern{0}.\n"
)


def truncate(folder: Path) -> None:
    """Truncate every file in place."""
    for path in list_files(folder):
        os.truncate(path, 0)


def halve(folder: Path) -> None:
    """Truncate every file to its half in place."""
    for path in list_files(folder):
        os.truncate(path, path.stat().st_size // 2)


def overwrite(folder: Path) -> None:
    """Overwrite every file in place with garbage of the same size."""
    for path in list_files(folder):
        with path.open("r+b") as file:
            file.write(os.urandom(path.stat().st_size))


def replace(folder: Path) -> None:
    """Copy longer garbage over every file."""
    for path in list_files(folder):
        path.write_bytes(b"{}" * (path.stat().st_size + 1))


def delete(folder: Path) -> None:
    """Delete the folder."""
    shutil.rmtree(folder)


def delete_files(folder: Path) -> None:
    """Delete each file, and leave the folders."""
    for path in list_files(folder):
        path.unlink()


DAMAGES = (truncate, halve, overwrite, replace, delete, delete_files)


def list_files(folder: Path) -> list[Path]:
    """Return the files of an index, without the locks, which come and go."""
    found = [path for path in folder.rglob("*") if path.suffix != ".lock"]
    return [path for path in found if path.is_file()]


@pytest.fixture
def docs(tmp_path: Path) -> DocsTree:
    """A documentation tree with some pages."""
    docs = DocsTree(tmp_path / "docs")
    for number in range(PAGES):
        docs.write(f"guide/page-{number}.md", TEXT.format(number))
    return docs


@pytest.fixture
def served(docs: DocsTree, tmp_path: Path, scanner: Scanner) -> Iterator[Served]:
    """A server of the tree that keeps its index on disk."""
    options = ("--docs", str(docs.root), "--cache-dir", str(tmp_path / "cache"))
    with serve_process(None, *options, scanner=scanner, cwd=tmp_path) as served:
        yield served


def damage_index(served: Served, cache: Path, damage: Callable[[Path], None]) -> None:
    """Damage the only index while the server is stopped, so all of it at one moment.

    Otherwise the server may notice the first file and replace the others meanwhile.
    """
    served.running.pause()
    damage(find_index(cache))
    served.running.signal(signal.SIGCONT)


def find_index(cache: Path) -> Path:
    """Return the folder of the only index."""
    (manifest,) = cache.rglob("manifest.json")
    return manifest.parent


async def search(served: Served, query: str) -> str:
    """Return the search results as text."""
    params = {"name": "search_docs", "arguments": {"query": query}}
    answer = await call(served.port, "tools/call", params, "search_docs")
    assert answer.status == 200
    return json.dumps(answer.json["result"])


async def search_until_found(served: Served, query: str, path: str) -> None:
    """Search repeatedly until a page is found; the wait is bounded."""
    deadline = time.monotonic() + BOUND
    while path not in await search(served, query):
        assert time.monotonic() < deadline, f"{query} is not found"


def events(log: str) -> list[str]:
    """Return the log events that concern the index."""
    rows = [json.loads(line) for line in log.splitlines()]
    return [row["event"] for row in rows if "index" in row["event"]]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damaged_index_files_do_not_end_a_running_server(
    served: Served, docs: DocsTree, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """D-090: new queries are answered meanwhile, and a change makes the index again."""
    assert "page-1.md" in await search(served, "plover1")
    damage_index(served, tmp_path / "cache", damage)
    for number in range(PAGES):
        assert f"page-{number}.md" in await search(served, f"tern{number} shore")
    docs.write("guide/new.md", "# New\n\nAn avocet.\n")
    await search_until_found(served, "avocet", "new.md")
    assert "page-7.md" in await search(served, "tern7 plover7")
    done = served.stop()
    assert done.code == 0
    assert events(done.err).count("rebuilding the index") == 1
    assert "index rebuilt" in events(done.err)


async def test_an_index_that_was_damaged_while_it_was_served_is_true_afterwards(
    served: Served, docs: DocsTree, tmp_path: Path, scanner: Scanner
) -> None:
    """D-090: it is made again although no page changes; the next start opens it."""
    await search(served, "plover1")
    damage_index(served, tmp_path / "cache", truncate)

    def is_rebuilt() -> bool:
        return b"index rebuilt" in served.running.read_stderr()

    await until(is_rebuilt)
    assert "page-2.md" in await search(served, "tern2")
    assert served.stop().code == 0
    options = ("--docs", str(docs.root), "--cache-dir", str(tmp_path / "cache"))
    with serve_process(None, *options, scanner=scanner, cwd=tmp_path) as again:
        assert "page-3.md" in await search(again, "tern3")
        assert "index opened" in events(again.stop().err)
