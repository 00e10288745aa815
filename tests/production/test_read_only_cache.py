"""An index that was built before, on a file system that is mounted read-only."""

import asyncio
from pathlib import Path

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.namespaces import namespaced
from support.processes import BOUND, COMMAND, Served, run_cli, serve_process
from support.stateless import call

MOUNT = """
mount --bind '{cache}' '{cache}'
mount -o remount,bind,ro '{cache}'
exec "$@"
"""
"""A shell script: a command with a folder that cannot be written."""


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A documentation folder with a page."""
    tree = DocsTree(tmp_path / "handbook")
    tree.write("guide/walrus.md", "# Walrus\n\nA walrus on the ice.\n")
    return tree


def build_index(cache: Path, tree: DocsTree, scanner: Scanner) -> tuple[str, ...]:
    """Build the index of a tree; return the prefix of commands that cannot write it."""
    options = ("--docs", str(tree.root), "--cache-dir", str(cache))
    assert run_cli("index", "build", *options, scanner=scanner).code == 0
    return (*namespaced(), "sh", "-ec", MOUNT.format(cache=cache), "sh")


def read_states(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return the state of everything below a folder."""
    found = {path: path.lstat() for path in folder.rglob("*")}
    return {path: (one.st_mtime_ns, one.st_size) for path, one in found.items()}


async def find(served: Served, query: str) -> str:
    """Return the answer to a query."""
    params = {"name": "search_docs", "arguments": {"query": query, "detail": "list"}}
    answer = await call(served.port, "tools/call", params, "search_docs")
    text: str = answer.json["result"]["content"][0]["text"]
    return text


async def test_a_server_starts_with_it_and_keeps_changes_in_memory(
    tree: DocsTree, tmp_path: Path, scanner: Scanner
) -> None:
    """D-165: nothing is rebuilt; the first change is found, and reported once."""
    cache = tmp_path / "cache"
    prefix = build_index(cache, tree, scanner)
    before = read_states(cache)
    options = ("--docs", str(tree.root), "--cache-dir", str(cache))
    with serve_process(None, *options, scanner=scanner, prefix=prefix) as served:
        assert "guide/walrus.md" in await find(served, "walrus")
        tree.write("guide/okapi.md", "# Okapi\n\nAn okapi in the forest.\n")
        async with asyncio.timeout(BOUND):
            while "guide/okapi.md" not in await find(served, "okapi"):
                await asyncio.sleep(0.05)
        assert "guide/walrus.md" in await find(served, "walrus")
        # The index is found by searches before its change is logged.
        served.running.wait_for_event("index refreshed")
        lines = served.running.read_log()
    events = [line["event"] for line in lines if "index" in line["event"]]
    assert events == [
        *("index is read-only", "index opened"),
        *("index kept in memory only", "index refreshed"),
    ]
    reasons = [line["reason"] for line in lines if "reason" in line]
    assert reasons == [
        "it cannot be written: Read-only file system",
        "it is read-only, and pages changed",
    ]
    assert read_states(cache) == before


def test_commands_use_it_or_say_that_it_cannot_be_written(
    tree: DocsTree, tmp_path: Path, scanner: Scanner
) -> None:
    """`doctor` reports it; `build` fails only if there is something to store."""
    cache = tmp_path / "cache"
    prefix = build_index(cache, tree, scanner)
    options = ("--docs", str(tree.root), "--cache-dir", str(cache))

    def run(*words: str) -> tuple[int, str]:
        done = run_cli(command=(*prefix, *COMMAND, *words, *options), scanner=scanner)
        return done.code, done.out + done.err

    code, output = run("doctor")
    assert "read-only: changes are kept in memory" in output
    assert run("index", "validate")[0] == run("index", "build")[0] == 0
    tree.write("guide/okapi.md", "# Okapi\n\nAn okapi in the forest.\n")
    code, output = run("index", "build")
    assert code == 3
    assert "it is read-only, and pages changed" in output
    assert "read-only: later changes are read at each start" in run("doctor")[1]
