"""A real PostgreSQL for tests, with a password, a Unix socket and a TCP port.

PostgreSQL refuses to run as root, so root starts it as another user. Its replicas
stream from it.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, Final
from urllib.parse import quote

import psycopg
from support.processes import BOUND

PASSWORD: Final = "a-pass:word@that/no%log may-have"
"""The password of every role."""

_READY: Final = "ready to accept"
_SETTINGS: Final = {
    "fsync": "off",
    # What a killed server leaves is in its folder then.
    "dynamic_shared_memory_type": "mmap",
    "hot_standby": "on",
    "listen_addresses": "127.0.0.1",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "wal_level": "replica",
}
_KEPT_LINES: Final = 10_000


def find_postgres(name: str) -> str:
    """Return the path of a program of PostgreSQL, which Debian has on no PATH."""
    folders = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parts[-2]
    )
    searched = os.pathsep.join((*map(str, reversed(folders)), os.environ["PATH"]))
    path = shutil.which(name, path=searched)
    assert path, f"{name} is not installed; on Debian: apt-get install postgresql"
    return path


class PostgresServer:
    """Starts, stops, kills, replicates and queries it."""

    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        """Use an empty folder; it must be reachable for another user."""
        self.folder = folder
        self.data = folder / "data"
        self.settings = {**_SETTINGS, **(settings or {})}
        self.port = _find_port()
        self.log: list[str] = []
        """The last lines that it wrote."""
        self._process: subprocess.Popen[str] | None = None
        self._reading: Thread | None = None
        self._replicas: list[PostgresServer] = []
        if self._user is not None:
            shutil.chown(folder, self._user, self._user)

    @cached_property
    def _user(self) -> str | None:
        """The user to run it as; None if that is the one of this process."""
        if os.geteuid():
            return None
        names = {entry.pw_name for entry in pwd.getpwall()}
        return "postgres" if "postgres" in names else "nobody"

    @property
    def url(self) -> str:
        """The address of its administrator, over TCP."""
        return self.url_for("postgres")

    def url_for(self, user: str, database: str = "postgres") -> str:
        """Return the address of a role and a database, over TCP."""
        secret = quote(PASSWORD, safe="")
        return f"postgresql://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        assert self._process is not None
        return self._process.pid

    def create(self) -> None:
        """Make its data folder."""
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if self._user is not None:
            shutil.chown(secret, self._user)
        options = ("--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8")
        locale = ("--locale=C", "--no-sync", f"--pwfile={secret}")
        self._run("initdb", f"--pgdata={self.data}", *options, *locale)
        secret.unlink()

    def start(self) -> None:
        """Start it and wait until it answers."""
        words = [f"-c{name}={value}" for name, value in self.settings.items()]
        self._process = subprocess.Popen(
            [
                find_postgres("postgres"),
                f"-D{self.data}",
                f"-p{self.port}",
                f"-k{self.folder}",
                *words,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=self.folder,
            env=_environment(),
            **self._identity,
        )
        is_ready, is_ended = Event(), Event()
        self._reading = Thread(
            target=self._read_log, args=(self._process, is_ready, is_ended), daemon=True
        )
        self._reading.start()
        assert is_ready.wait(BOUND), self.log
        assert not is_ended.is_set(), self.log

    def _read_log(
        self, process: "subprocess.Popen[str]", is_ready: Event, is_ended: Event
    ) -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                self.log.append(line)
                del self.log[:-_KEPT_LINES]
                if _READY in line:
                    is_ready.set()
        if not is_ready.is_set():
            is_ended.set()
            is_ready.set()

    def stop(self) -> None:
        """Stop it, and close all connections."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Kill all its processes, as if the machine lost power."""
        if self._process is not None:
            listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
            self.signal(signal.SIGKILL)
            for pid in map(int, listed.split()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop it and start it on the same port."""
        self.stop()
        self.start()

    def signal(self, number: int) -> None:
        """Send a signal to the postmaster only."""
        assert self._process is not None
        self._process.send_signal(number)

    def pause(self) -> None:
        """Stop all its processes until `resume`: connections stay, nothing answers."""
        self._signal_all(signal.SIGSTOP)

    def resume(self) -> None:
        """Let them go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> None:
        self.signal(number)
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        for pid in map(int, listed.split()):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _end(self, number: int) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        self._process.wait(BOUND)
        self._process = None
        # All its processes hold the pipe.
        if self._reading is not None:
            self._reading.join(BOUND)
            assert not self._reading.is_alive()

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a statement of the administrator."""
        with psycopg.connect(
            self.url, autocommit=True, connect_timeout=10
        ) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def create_database(self, name: str) -> str:
        """Create a database; return the address of its administrator."""
        self.query(f'CREATE DATABASE "{name}"')
        return self.url_for("postgres", name)

    def create_role(self, name: str, *groups: str) -> None:
        """Create a role that may log in, a member of these roles."""
        self.query(f"CREATE ROLE \"{name}\" LOGIN PASSWORD '{PASSWORD}'")
        for group in groups:
            self.query(f'GRANT "{group}" TO "{name}"')

    @contextmanager
    def replica(self) -> Iterator["PostgresServer"]:
        """Run a streaming replica of it until the block ends."""
        with _temporary_folder() as folder:
            standby = PostgresServer(folder, self.settings)
            options = ("--write-recovery-conf", "--wal-method=stream", "--no-sync")
            self._run(
                "pg_basebackup",
                f"--pgdata={standby.data}",
                f"--dbname={self.url}",
                "--checkpoint=fast",
                *options,
                identity=standby._identity,
            )
            try:
                standby.start()
                yield standby
            finally:
                standby.kill()

    def pause_replay(self) -> None:
        """Have a replica fall behind until `resume_replay`."""
        self.query("SELECT pg_wal_replay_pause()")

    def resume_replay(self) -> None:
        """Have a replica follow its primary again."""
        self.query("SELECT pg_wal_replay_resume()")

    def wait_for_replay(self, primary: "PostgresServer") -> None:
        """Wait until a replica has all that its primary has written."""
        ((position,),) = primary.query("SELECT pg_current_wal_lsn()::text")
        deadline = monotonic() + BOUND
        statement = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        while self.query(statement, position) != [(True,)]:
            assert monotonic() < deadline, self.log

    def promote(self) -> None:
        """Make a replica the primary."""
        self.query("SELECT pg_promote()")

    @property
    def _identity(self) -> dict[str, Any]:
        if self._user is None:
            return {}
        entry = pwd.getpwnam(self._user)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def _run(
        self, name: str, *options: str, identity: dict[str, Any] | None = None
    ) -> None:
        command: Sequence[str] = (find_postgres(name), *options)
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.folder,
            env=_environment(),
            timeout=BOUND,
            check=False,
            **(self._identity if identity is None else identity),
        )
        assert done.returncode == 0, done.stderr


def _environment() -> dict[str, str]:
    """Return the environment without settings of the developer's PostgreSQL."""
    kept = {name: value for name, value in os.environ.items() if name[:2] != "PG"}
    return {**kept, "LC_ALL": "C"}


def _find_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    # The path of a Unix socket is limited in length.
    folder = Path(tempfile.mkdtemp(prefix="kb-postgres-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def postgres_server(**settings: str) -> Iterator[PostgresServer]:
    """Run one until the block ends."""
    with _temporary_folder() as folder:
        server = PostgresServer(folder, settings)
        server.create()
        try:
            server.start()
            yield server
        finally:
            server.kill()
