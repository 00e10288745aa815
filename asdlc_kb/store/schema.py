"""The schema of the store: numbered migrations, roles, and the check of its version.

A migration is a file `migrations/NNN_name.sql`. Those that are missing are applied in
one transaction, under a lock, so several processes may migrate at once.
"""

from pathlib import Path
from typing import Any, Final

from psycopg import Connection, errors, sql

from asdlc_kb.exceptions import StoreMisconfigured
from asdlc_kb.store.database import BoundedConnection, describe, translated_errors

ROLES: Final = ("asdlc_ingest", "asdlc_reader", "asdlc_bus")
"""Roles without login, to be granted to those of writers, readers, and servers that
send each other messages."""

_MIGRATIONS: Final = tuple(
    sorted((Path(__file__).parent / "migrations").glob("[0-9]*.sql"))
)
SCHEMA_VERSION: Final = len(_MIGRATIONS)
"""The version that this program reads and writes."""

_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended('asdlc_kb.schema', 0))"

_PREPARE: Final = """
CREATE SCHEMA IF NOT EXISTS asdlc_kb;
REVOKE ALL ON SCHEMA asdlc_kb FROM PUBLIC;
GRANT USAGE ON SCHEMA asdlc_kb TO asdlc_ingest, asdlc_reader;
CREATE TABLE IF NOT EXISTS asdlc_kb.migrations (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);
CREATE OR REPLACE VIEW asdlc_kb.schema_version WITH (security_barrier) AS
    SELECT max(version) AS version FROM asdlc_kb.migrations;
GRANT SELECT ON asdlc_kb.schema_version TO asdlc_ingest, asdlc_reader;
"""


def migrate(connection: BoundedConnection) -> None:
    """Create the schema, or bring it to the version of this program.

    Does nothing if it has that version, so any role may call it then. Otherwise the
    role must own the schema; the first one creates it and the roles. Raises
    StoreMisconfigured if it may not, or the schema is newer than this program.
    """
    with translated_errors(connection.address):
        if read_version(connection) == SCHEMA_VERSION:
            return
        with connection.transaction():
            connection.execute(_LOCK)
            version = read_version(connection)
            if version < SCHEMA_VERSION:
                try:
                    _migrate_from(connection, version)
                except errors.InsufficientPrivilege:
                    raise _refuse_migration(connection, version) from None
        require_schema(connection)


def require_schema(connection: BoundedConnection) -> None:
    """Raise StoreMisconfigured unless the schema has the version of this program."""
    with translated_errors(connection.address):
        version = read_version(connection)
    check_version(version, connection.address)


def check_version(version: int, address: str) -> None:
    """Raise StoreMisconfigured for a version that is not that of this program."""
    where = f"the database at {describe(address)}"
    if version == 0:
        raise StoreMisconfigured(
            f"{where} has no schema yet: run `asdlc-kb ingest` once with the role "
            "that is to own it"
        )
    if version < SCHEMA_VERSION:
        raise StoreMisconfigured(
            f"{where} has schema version {version}, this program needs "
            f"{SCHEMA_VERSION}: run `asdlc-kb ingest` of this version once with the "
            "role that owns the schema"
        )
    if version > SCHEMA_VERSION:
        raise StoreMisconfigured(
            f"{where} has schema version {version}, this program knows only "
            f"{SCHEMA_VERSION}: upgrade it"
        )


def read_version(connection: Connection[Any]) -> int:
    """Return the version of the schema; 0 if there is none."""
    # `to_regclass` may return a state of before the wait for the lock.
    has_schema = connection.execute(
        "SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
        " WHERE nspname = 'asdlc_kb' AND relname = 'schema_version'"
    ).fetchone()
    if has_schema is None:
        return 0
    row = connection.execute("SELECT version FROM asdlc_kb.schema_version").fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def _migrate_from(connection: Connection[Any], version: int) -> None:
    """Apply the migrations after a version."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreMisconfigured(
            f"the database has the encoding {encoding}: create one with UTF8"
        )
    for role in ROLES:
        _create_role(connection, role)
    connection.execute(_PREPARE)
    for number, path in enumerate(_MIGRATIONS[version:], version + 1):
        connection.execute(path.read_bytes())
        connection.execute(
            "INSERT INTO asdlc_kb.migrations (version) VALUES (%s)", (number,)
        )


def _refuse_migration(
    connection: BoundedConnection, version: int
) -> StoreMisconfigured:
    """Return the error for a role that may not create or change the schema."""
    if version:
        try:
            check_version(version, connection.address)
        except StoreMisconfigured as error:
            return error
    user, database = connection.info.user, connection.info.dbname
    return StoreMisconfigured(
        "this role may not create the schema: have an administrator run "
        f'GRANT CREATE ON DATABASE "{database}" TO "{user}"'
    )


def _create_role(connection: Connection[Any], role: str) -> None:
    """Create a role unless it exists; roles belong to all databases of a server."""
    is_there = connection.execute(
        "SELECT FROM pg_roles WHERE rolname = %s", (role,)
    ).fetchone()
    if is_there is not None:
        return
    try:
        with connection.transaction():
            statement = sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(role))
            connection.execute(statement)
    except (errors.DuplicateObject, errors.UniqueViolation):
        return
    except errors.InsufficientPrivilege:
        commands = "; ".join(f"CREATE ROLE {each} NOLOGIN" for each in ROLES)
        raise StoreMisconfigured(
            f"this role may not create roles: have an administrator run {commands}"
        ) from None
