"""Signals and kills of `ingest`, and changes of the database by its operator."""

import os
import random
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
from store.ingesting import read_visible
from store.postgres import PostgresServer
from support.canary import Scanner
from support.namespaces import namespaced
from support.processes import BOUND, Running, run_cli, start_cli

from asdlc_kb.store.database import BoundedConnection, connect

COMMAND: Final = ("ingest", "--docs", "site=site")
FOLLOW: Final = (*COMMAND, "--follow")
KILLS: Final = 6
PAGES: Final = 1_000
WAITING: Final = "asdlc-kb: another command writes the source 'site': waiting"


@pytest.fixture(autouse=True)
def sigint_handler() -> Iterator[None]:
    """Have programs that are started handle Ctrl-C, also where these tests ignore it.

    A shell has its background jobs ignore it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with a tree of one page."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.md").write_text("# Home\n")
    return tmp_path


def read_pages(folder: Path) -> Mapping[str, bytes]:
    """Return the files of the tree."""
    paths = (folder / "site").rglob("*.md")
    return {p.relative_to(folder / "site").as_posix(): p.read_bytes() for p in paths}


def wait_for_lock(process: Running) -> None:
    """Wait until a writer waits for the lock of its source."""
    process.wait_for_stderr(WAITING.encode())


def lock_source(connection: BoundedConnection) -> None:
    """Take the lock that a writer of the tree needs."""
    connection.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended('asdlc_kb.source.site', 0))"
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("INSERT INTO asdlc_kb.migrations VALUES (99)", "knows only"),
        ("REVOKE asdlc_ingest FROM {role}", "grant it asdlc_ingest"),
    ],
)
def test_a_follower_ends_if_the_operator_has_to_act(
    folder: Path,
    postgres: PostgresServer,
    database: str,
    scanner: Scanner,
    statement: str,
    message: str,
) -> None:
    """One line and exit code 3, as of all commands."""
    run_cli(*COMMAND, "--store", database, scanner=scanner, cwd=folder)
    name = database.rpartition("/")[2]
    postgres.create_role(f"writer_{name}", "asdlc_ingest")
    url = postgres.url_for(f"writer_{name}", name)
    with start_cli(*FOLLOW, "--store", url, scanner=scanner, cwd=folder) as process:
        assert b"nothing changed" in process.read_line()
        with connect(database) as connection:
            connection.execute(statement.format(role=f"writer_{name}").encode())
        (folder / "site/index.md").write_text("# Other\n")
        done = process.wait()
    assert done.code == 3
    *logged, last = done.err.splitlines()
    assert last.startswith("asdlc-kb: the database at")
    assert message in last
    assert all("content changed" in line for line in logged)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_follower(
    folder: Path, database: str, scanner: Scanner, number: int
) -> None:
    """Exit code 0, also during a write, which is undone."""
    with start_cli(*FOLLOW, "--store", database, scanner=scanner, cwd=folder) as it:
        it.read_line()
        before = read_pages(folder)
        with connect(database) as connection, connection.transaction():
            lock_source(connection)
            (folder / "site/index.md").write_text("# Other\n")
            wait_for_lock(it)
            it.signal(number)
            assert it.wait().code == 0
        assert read_visible(database, "site") == before


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)]
)
def test_a_signal_ends_a_single_write(
    folder: Path, database: str, scanner: Scanner, number: int, code: int
) -> None:
    """A failure, without a traceback; nothing of it is stored."""
    address = ("--store", database)
    run_cli(*COMMAND, *address, scanner=scanner, cwd=folder)
    before = read_pages(folder)
    (folder / "site/index.md").write_text("# Other\n")
    with connect(database) as connection, connection.transaction():
        lock_source(connection)
        with start_cli(*COMMAND, *address, scanner=scanner, cwd=folder) as process:
            wait_for_lock(process)
            process.signal(number)
            done = process.wait()
    assert (done.code, done.err) == (code, f"{WAITING}\n")
    assert read_visible(database, "site") == before


def test_sigterm_ends_the_first_process_of_a_container(
    folder: Path, database: str, scanner: Scanner
) -> None:
    """The kernel ignores signals that such a process does not handle."""
    run_cli(*COMMAND, "--store", database, scanner=scanner, cwd=folder)
    (folder / "site/index.md").write_text("# Other\n")
    container = (*namespaced(), "--pid", "--fork", "--kill-child")
    with connect(database) as connection, connection.transaction():
        lock_source(connection)
        with start_cli(
            *(*COMMAND, "--store", database),
            scanner=scanner,
            cwd=folder,
            prefix=container,
        ) as process:
            wait_for_lock(process)
            pid = process.process.pid
            (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            os.kill(int(child), signal.SIGTERM)
            assert process.wait().code == 143


def test_a_killed_ingest_leaves_the_former_snapshot(
    folder: Path, database: str, scanner: Scanner
) -> None:
    """At random moments of a large write; the next one finishes, nothing is left."""
    address = ("--store", database)
    run_cli(*COMMAND, *address, scanner=scanner, cwd=folder)
    chosen = random.Random(24)
    before = read_pages(folder)
    for number in range(PAGES):
        text = f"# Page {number}\n\n{chosen.randbytes(2_000).hex()}\n"
        (folder / f"site/page-{number}.md").write_text(text)
    outcomes = set()
    with connect(database) as connection:
        for moment in range(KILLS):
            with start_cli(*COMMAND, *address, scanner=scanner, cwd=folder) as process:
                wait_for_write(connection, process)
                with suppress(subprocess.TimeoutExpired):
                    process.process.wait(chosen.uniform(0, 0.05 * moment))
                process.process.kill()
                process.wait()
            wait_for_end(connection)
            is_whole = read_visible(database, "site") == read_pages(folder)
            assert is_whole or read_visible(database, "site") == before
            outcomes.add(is_whole)
            if is_whole:
                before = read_pages(folder)
                (folder / f"site/after-{moment}.md").write_text(f"# {moment}\n")
        assert False in outcomes
        done = run_cli(*COMMAND, *address, scanner=scanner, cwd=folder)
        assert done.code == 0, done.err
        assert read_visible(database, "site") == read_pages(folder)
        row = connection.execute(
            "SELECT (SELECT count(*) FROM asdlc_kb.blobs),"
            " (SELECT count(DISTINCT digest) FROM asdlc_kb.files),"
            " (SELECT count(*) FROM asdlc_kb.files) - file_count"
            " FROM asdlc_kb.sources"
        ).fetchone()
    assert row is not None
    assert row[0] == row[1]
    assert row[2] == 0


CONNECTED: Final = (
    "SELECT FROM pg_stat_activity WHERE application_name = 'asdlc-kb'"
    " AND pid <> pg_backend_pid() AND datname = current_database()"
)


def wait_for_write(connection: BoundedConnection, process: Running) -> None:
    """Wait until a writer has a transaction, or its process has ended."""
    deadline = monotonic() + BOUND
    statement = f"{CONNECTED} AND xact_start IS NOT NULL".encode()
    while connection.execute(statement).fetchone() is None:
        assert monotonic() < deadline
        if process.process.poll() is not None:
            return


def wait_for_end(connection: BoundedConnection) -> None:
    """Wait until the server has noticed that a writer is gone."""
    deadline = monotonic() + BOUND
    while connection.execute(CONNECTED.encode()).fetchone() is not None:
        assert monotonic() < deadline
