"""Connections to PostgreSQL: addresses, time limits, errors without secrets.

Every wait for the server is bounded: by the server (`statement_timeout`) and, for a
server that does not answer at all, by this process, which closes the connection.
"""

import asyncio
import logging
import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Timer
from typing import Any, Final, Self

import psycopg
from psycopg import errors
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg.types.json import Json

from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable

# Its warnings repeat what an error says, for each attempt of an outage.
logging.getLogger("psycopg").setLevel(logging.ERROR)

APPLICATION_NAME: Final = "asdlc-kb"
"""What `pg_stat_activity` shows unless the address sets another name."""

CONNECT_SECONDS: Final = 5
STATEMENT_SECONDS: Final = 60.0
"""Time limits of one attempt to connect, and of one statement."""

BYTES_PER_SECOND: Final = 200_000
"""Slowest link over which a statement has the time for large contents."""

PROBE_SECONDS: Final = 2.0
"""Time limit of the statement that shows whether a connection can still be used."""

_GRACE_SECONDS: Final = 5.0
"""Time that the server has to report a statement's time limit before it is cut off."""

_IDLE_SECONDS: Final = 300
"""Time after which the server ends a transaction of an idle client."""

_SET_TIME_LIMIT: Final = "SELECT set_config('statement_timeout', %s, true)"
"""Sets it until the end of the transaction."""

_FORMAT: Final = "write postgresql://USER@HOST:PORT/DATABASE"
_ADDRESS: Final = re.compile(
    r"postgres(?:ql)?://(?:[^/?@\s]*@)?(?P<hosts>[^/?@\s]*)(?:/[^/?@\s]*)?(?:\?[^@\s]*)?"
)
_HOST: Final = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^\[\]:]*)(?::[0-9]*)?")
_SEPARATOR: Final = re.compile(r"\s*,\s*(?=postgres(?:ql)?://)")

_TIMED_OUT: Final = (errors.QueryCanceled, errors.LockNotAvailable)
_STOPPING: Final = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
_FULL: Final = (errors.DiskFull, errors.ConfigurationLimitExceeded)
_REFUSED: Final = re.compile(
    r"password authentication failed|no password supplied|no pg_hba\.conf entry"
    r'|role ".*" (?:does not exist|is not permitted to log in)'
    r'|database ".*" does not exist'
    r"|invalid \S+ value|invalid port number|server does not support SSL"
    r"|certificate verify failed|certificate authentication failed"
    r'|server certificate for ".*" does not match'
)
"""Reasons for which no connection is made until an operator acts.

libpq states no code for them. A server that reports in another language counts as
unreachable.
"""

_MISCONFIGURED: Final[Mapping[type[psycopg.Error], str]] = {
    errors.InsufficientPrivilege: "this role lacks a privilege; grant it asdlc_ingest "
    "to write or asdlc_reader to read",
    errors.ReadOnlySqlTransaction: "this server is a standby or read-only; give the "
    "address of the primary",
    errors.UndefinedTable: "it has no complete schema asdlc_kb",
    errors.InvalidSchemaName: "it has no schema asdlc_kb",
}


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """The address of a primary and those of its replicas; shows no password."""

    primary: str
    replicas: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "postgresql://…[,postgresql://…]": the primary, then replicas.

        Raises ValueError without any part of the text.
        """
        primary, *replicas = _SEPARATOR.split(text.strip())
        for address in (primary, *replicas):
            _check_address(address)
        return cls(primary, tuple(replicas))

    def __repr__(self) -> str:
        """Return hosts and databases only."""
        return f"StoreAddress({self})"

    def __str__(self) -> str:
        """Return hosts and databases only."""
        return ", ".join(map(describe, (self.primary, *self.replicas)))


def _check_address(address: str) -> None:
    """Raise ValueError unless libpq reads the address as it is meant."""
    match = _ADDRESS.fullmatch(address)
    is_valid = match is not None and all(
        map(_HOST.fullmatch, match["hosts"].split(","))
    )
    if is_valid:
        try:
            conninfo_to_dict(address)
        except psycopg.ProgrammingError:
            is_valid = False
    if not is_valid:
        raise ValueError(
            f"not the address of a database: {_FORMAT}, with special characters of "
            "user and password percent-encoded (@ is %40)"
        )


def describe(address: str) -> str:
    """Return host, port and database of an address."""
    values = {name: value or "" for name, value in conninfo_to_dict(address).items()}
    hosts = values.get("host") or values.get("hostaddr") or "the default host"
    port, database = values.get("port"), values.get("dbname")
    return f"{hosts}{f':{port}' if port else ''}{f'/{database}' if database else ''}"


class BoundedConnection(psycopg.Connection[TupleRow]):
    """A connection that is cut off if the server leaves a statement unanswered."""

    address = ""
    max_seconds = STATEMENT_SECONDS + _GRACE_SECONDS

    def wait(self, gen: PQGen[Any], *args: Any, **options: Any) -> Any:
        """Wait for the server, at most `max_seconds`."""
        with _duplicate(self.fileno()) as own:
            timer = Timer(self.max_seconds, _cut_off, (own,))
            timer.daemon = True
            timer.start()
            try:
                return super().wait(gen, *args, **options)
            finally:
                timer.cancel()

    @contextmanager
    def transferring(self, size: int) -> Iterator[None]:
        """Have the time for a statement with so many bytes; in a transaction."""
        usual, seconds = self.max_seconds, size / BYTES_PER_SECOND
        if seconds > usual - _GRACE_SECONDS:
            milliseconds = str(round(seconds * 1000))
            self.execute(_SET_TIME_LIMIT, (milliseconds,))
            self.max_seconds = seconds + _GRACE_SECONDS
        try:
            yield
        finally:
            self.max_seconds = usual

    def is_usable(self) -> bool:
        """Whether the server answers within `PROBE_SECONDS`."""
        limit, self.max_seconds = self.max_seconds, PROBE_SECONDS
        try:
            self.execute("SELECT 1")
        except psycopg.Error:
            return False
        finally:
            self.max_seconds = limit
        return True


class BoundedAsyncConnection(psycopg.AsyncConnection[TupleRow]):
    """The same for an event loop."""

    max_seconds = STATEMENT_SECONDS + _GRACE_SECONDS

    async def wait(self, gen: PQGen[Any], *args: Any, **options: Any) -> Any:
        """Wait for the server, at most `max_seconds`."""
        loop = asyncio.get_running_loop()
        with _duplicate(self.fileno()) as own:
            timer = loop.call_later(self.max_seconds, _cut_off, own)
            try:
                return await super().wait(gen, *args, **options)
            finally:
                timer.cancel()


def _duplicate(descriptor: int) -> socket.socket:
    """Return a connection once more, to shut it down from outside of libpq."""
    return socket.socket(fileno=os.dup(descriptor))


def _cut_off(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _connection_options(address: str) -> dict[str, Any]:
    """Return the options with which every connection is opened."""
    given = conninfo_to_dict(address)
    options = {
        "application_name": APPLICATION_NAME,
        "connect_timeout": CONNECT_SECONDS,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
    return {
        "conninfo": address,
        "client_encoding": "utf8",
        # A pooler may run each statement on another connection.
        "prepare_threshold": None,
        **{name: value for name, value in options.items() if name not in given},
    }


def _session_settings(statement_seconds: float) -> dict[str, str]:
    """Return the settings of the server with which every session begins."""
    milliseconds = str(round(statement_seconds * 1000))
    return {
        "search_path": "pg_catalog",
        "statement_timeout": milliseconds,
        "lock_timeout": milliseconds,
        "idle_in_transaction_session_timeout": str(_IDLE_SECONDS * 1000),
    }


_SET_SESSION: Final = (
    "SELECT set_config(key, value, false) FROM json_each_text(%s::json)"
)
"""Applies `_session_settings`, given as JSON, in one statement."""


def connect(
    address: str, *, statement_seconds: float = STATEMENT_SECONDS
) -> BoundedConnection:
    """Connect to one server; each statement is a transaction unless a block opens one.

    Raises StoreUnavailable if the server cannot be reached, and StoreMisconfigured if
    it refuses the role or the database.
    """
    with translated_errors(address):
        options = _connection_options(address)
        connection = BoundedConnection.connect(autocommit=True, **options)
        connection.address = address
        connection.max_seconds = statement_seconds + _GRACE_SECONDS
        try:
            settings = Json(_session_settings(statement_seconds))
            connection.execute(_SET_SESSION, (settings,))
        except BaseException:
            connection.close()
            raise
    return connection


async def connect_async(
    address: str, *, statement_seconds: float
) -> BoundedAsyncConnection:
    """Connect to one server from an event loop; raises as `connect`."""
    with translated_errors(address):
        options = _connection_options(address)
        connection = await BoundedAsyncConnection.connect(autocommit=True, **options)
        connection.max_seconds = statement_seconds + _GRACE_SECONDS
        try:
            settings = Json(_session_settings(statement_seconds))
            await connection.execute(_SET_SESSION, (settings,))
        except BaseException:
            await connection.close()
            raise
    return connection


@contextmanager
def translated_errors(address: str) -> Iterator[None]:
    """Raise StoreUnavailable or StoreMisconfigured for errors of the database."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, address) from None


def translate(
    error: psycopg.Error, address: str
) -> StoreUnavailable | StoreMisconfigured:
    """Return the error to raise, with the server's name and no secret."""
    where = f"the database at {describe(address)}"
    for kind, advice in _MISCONFIGURED.items():
        if isinstance(error, kind):
            return StoreMisconfigured(f"{where} cannot be used: {advice}")
    if isinstance(error, _TIMED_OUT):
        return StoreUnavailable(f"{where} took too long: it is busy, or locked")
    if isinstance(error, _STOPPING):
        return StoreUnavailable(f"{where} cannot be reached: it stops or starts")
    if isinstance(error, _FULL):
        return StoreUnavailable(f"{where} has no room: free or add disk space")
    if error.sqlstate is None:
        reason = _without_secrets(str(error), address)
        if _REFUSED.search(reason):
            return StoreMisconfigured(f"{where} cannot be used: {reason}")
        return StoreUnavailable(f"{where} cannot be reached: {reason}")
    # The message of another error may quote stored text.
    name = type(error).__name__
    return StoreUnavailable(f"{where} refused a statement: {name} ({error.sqlstate})")


def _without_secrets(message: str, address: str) -> str:
    """Return the first line of a message without passwords of the address."""
    values = conninfo_to_dict(address)
    for name in ("password", "sslpassword"):
        if secret := values.get(name):
            message = message.replace(str(secret), "***")
    lines = message.strip().splitlines() or ["no reason was given"]
    return lines[0]
