"""The bus between replicas over LISTEN and NOTIFY of PostgreSQL.

A notification carries a short message; a long one is a row of `bus_messages`, which is
deleted after a minute. Any role of the database can listen on a channel that it knows,
so the channel's name is derived from the key of the session ids.
"""

import asyncio
import hmac
from binascii import a2b_base64, b2a_base64
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from time import monotonic
from typing import Any, ClassVar, Final, TypeVar

import psycopg
from psycopg import AsyncConnection, errors, sql
from psycopg.conninfo import conninfo_to_dict

from asdlc_kb.cluster.network_transport import CANCEL_SECONDS, NetworkTransport
from asdlc_kb.exceptions import StoreMisconfigured, StoreUnavailable
from asdlc_kb.store.database import (
    StoreAddress,
    connect,
    connect_async,
    describe,
    translate,
)
from asdlc_kb.store.schema import migrate

MAX_NOTIFICATION_BYTES: Final = 7999
"""Bytes of a notification's payload."""

STORED_SECONDS: Final = 60
"""Age at which a stored message is deleted."""

_LISTENER_SECONDS: Final = 30
"""Time after which the server disconnects a listener that does not read: PostgreSQL
keeps every notification until all listeners have read it."""

_VERSION: Final = 1
"""The version of the format of notifications."""

_NOTIFY: Final = """
SELECT pg_notify(%s, payload)
FROM unnest(%s::text[]) WITH ORDINALITY AS sent (payload, number) ORDER BY number
"""
_STORE: Final = """
INSERT INTO asdlc_kb.bus_messages (key, data)
SELECT * FROM unnest(%s::text[], %b::bytea[])
"""
_FETCH: Final = "SELECT data FROM asdlc_kb.bus_messages WHERE key = %s"
_PRUNE: Final = """
DELETE FROM asdlc_kb.bus_messages WHERE sent_at < now() - make_interval(secs => %s)
"""
_SET_LISTENER: Final = "SELECT set_config('tcp_user_timeout', %s, false)"
_NO_TABLE: Final = (
    "it has no table for messages: start a server once with the role that is to own "
    "the schema asdlc_kb, then GRANT asdlc_bus to this one"
)
_IS_STANDBY: Final = "SELECT pg_is_in_recovery()"

T = TypeVar("T")


class StandbyError(Exception):
    """Raised for a standby, on which nothing can be published or received."""


class PostgresTransport(NetworkTransport[AsyncConnection]):
    """The bus of one replica."""

    server = "PostgreSQL"
    faults = (
        *(psycopg.Error, StoreUnavailable, StoreMisconfigured, StandbyError),
        *(OSError, TimeoutError),
    )
    reasons: ClassVar = {
        StandbyError: "it is a standby, which cannot forward messages",
        errors.InsufficientPrivilege: "GRANT asdlc_bus to this role",
        errors.UndefinedTable: _NO_TABLE,
        errors.InvalidSchemaName: _NO_TABLE,
    }

    def __init__(
        self,
        url: str,
        key: bytes | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """Raise ValueError for an invalid URL, or one with replicas."""
        address = StoreAddress.parse(url)
        if address.replicas:
            raise ValueError("replicas cannot forward messages")
        self._url = address.primary
        super().__init__(describe(self._url), name)
        self._target = _choose_primary(self._url, self.answer_seconds)
        self.channel = name_channel(key)
        """The channel of all messages."""
        self._numbers = count(1)
        self._next_prune = 0.0

    def require_usable(self) -> None:
        """Raise StoreMisconfigured if its operator has to act; create the table."""
        where = f"the database of bus_url, {self.address},"
        try:
            with connect(
                self._target, statement_seconds=self.answer_seconds
            ) as connection:
                row = connection.execute(_IS_STANDBY).fetchone()
                if row is not None and row[0]:
                    raise StoreMisconfigured(
                        f"{where} is a standby, which cannot forward messages: give "
                        "the address of the primary"
                    )
                try:
                    connection.execute(_PRUNE, (STORED_SECONDS,))
                except (errors.UndefinedTable, errors.InvalidSchemaName):
                    _create_table(connection, where)
        except errors.InsufficientPrivilege:
            raise StoreMisconfigured(
                f"{where} does not let this role send messages: GRANT asdlc_bus to it"
            ) from None
        except (psycopg.Error, StoreUnavailable):
            pass

    def describe_fault(self, error: Exception) -> str:
        """Return the cause of a fault, without secrets."""
        if isinstance(error, psycopg.Error) and type(error) not in self.reasons:
            error = translate(error, self._url)
        if isinstance(error, (StoreUnavailable, StoreMisconfigured)):
            return str(error)
        return super().describe_fault(error)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[AsyncConnection]:
        """Connect, and close the connection at the end."""
        # Not bounded as a whole: each of several hosts and their addresses is.
        connection = await connect_async(
            self._target, statement_seconds=self.answer_seconds
        )
        try:
            milliseconds = str(_LISTENER_SECONDS * 1000)
            await self._execute(connection, _SET_LISTENER, (milliseconds,))
            if await self._fetch(connection, _IS_STANDBY):
                raise StandbyError
            yield connection
        finally:
            await connection.close()

    async def ping(self, connection: AsyncConnection) -> None:
        """Wait for a reply, and delete old messages."""
        self._next_prune = monotonic() + STORED_SECONDS
        await self._execute(connection, _PRUNE, (STORED_SECONDS,))

    async def send_batch(
        self, connection: AsyncConnection, messages: Sequence[bytes]
    ) -> None:
        """Send messages in one transaction, or in two if some are stored."""
        payloads = []
        stored = {}
        for message in messages:
            # The number makes payloads differ: PostgreSQL drops equal ones.
            key = f"{self.name}/{next(self._numbers)}"
            payload = f"{key} {b2a_base64(message, newline=False).decode()}"
            if len(payload) > MAX_NOTIFICATION_BYTES:
                stored[key] = message
                payload = key
            payloads.append(payload)
        if stored:
            values = (list(stored), list(stored.values()))
            await self._execute(connection, _STORE, values)
        await self._execute(connection, _NOTIFY, (self.channel, payloads))
        if monotonic() >= self._next_prune:
            await self.ping(connection)

    async def receive(self, connection: AsyncConnection) -> None:
        """Listen, then receive messages until the connection fails."""
        listen = sql.SQL("LISTEN {}").format(sql.Identifier(self.channel))
        await self._execute(connection, listen)
        self.begin_receiving()
        while True:
            # The connection can run statements only between two of these generators.
            received = connection.notifies(timeout=self.quiet_seconds, stop_after=1)
            payloads = [notification.payload async for notification in received]
            if not payloads:
                await self._execute(connection, "SELECT")
            for payload in payloads:
                await self._handle_payload(connection, payload)

    async def _handle_payload(self, connection: AsyncConnection, payload: str) -> None:
        """Deliver a message; ignore garbage, and stored messages that are lost."""
        key, has_text, text = payload.partition(" ")
        sender = key.partition("/")[0]
        if sender == self.name:
            return
        data: bytes | None
        if has_text:
            try:
                data = a2b_base64(text, strict_mode=True)
            except ValueError:
                return
        else:
            data = await self._fetch(connection, _FETCH, (key,))
        if data is not None:
            self.deliver(sender, data)

    async def _fetch(
        self, connection: AsyncConnection, query: str, values: Sequence[Any] = ()
    ) -> Any:
        """Return the first value of a row, None without a row."""
        cursor = connection.cursor(binary=True)
        await self._bound(cursor.execute(query.encode(), values))
        row = await cursor.fetchone()
        return None if row is None else row[0]

    async def _execute(
        self,
        connection: AsyncConnection,
        query: str | sql.Composed,
        values: Sequence[Any] | None = None,
    ) -> None:
        statement = query.encode() if isinstance(query, str) else query
        await self._bound(connection.execute(statement, values))

    async def _bound(self, work: Awaitable[T]) -> T:
        """Wait for a reply, but no longer than `answer_seconds`."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task,), timeout=self.answer_seconds)
            if task.done():
                return task.result()
            raise TimeoutError
        finally:
            while not task.done():
                # Repeat: psycopg first asks the server to cancel, and waits for it.
                task.cancel()
                await asyncio.wait((task,), timeout=CANCEL_SECONDS)


def name_channel(key: bytes | None) -> str:
    """Return the channel of the servers with a key; all without one share a channel."""
    if key is None:
        return f"asdlc_kb_bus_{_VERSION}"
    secret = hmac.digest(key, b"channel of the bus", "sha256")[:16].hex()
    return f"asdlc_kb_bus_{_VERSION}_{secret}"


def _choose_primary(url: str, seconds: float) -> str:
    """Return an address of which libpq takes the primary, if it has several hosts.

    Each attempt to connect takes `seconds` at most, unless the address has a limit.
    """
    given = conninfo_to_dict(url)
    options = {"connect_timeout": str(round(seconds))}
    if "," in str(given.get("host") or ""):
        options["target_session_attrs"] = "primary"
    added = {name: value for name, value in options.items() if name not in given}
    return psycopg.conninfo.make_conninfo(url, **added)


def _create_table(connection: Any, where: str) -> None:
    try:
        migrate(connection)
    except StoreMisconfigured:
        raise StoreMisconfigured(f"{where[:-1]}: {_NO_TABLE}") from None
