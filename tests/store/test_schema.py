"""Migrations, roles, and the check of the version."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from store.postgres import PostgresServer

from asdlc_kb.exceptions import StoreMisconfigured
from asdlc_kb.store.database import BoundedConnection, connect
from asdlc_kb.store.schema import (
    ROLES,
    SCHEMA_VERSION,
    migrate,
    read_version,
    require_schema,
)


def set_version(connection: BoundedConnection, version: int) -> None:
    """Pretend that the schema is that of another program."""
    connection.execute("TRUNCATE asdlc_kb.migrations")
    connection.execute("INSERT INTO asdlc_kb.migrations VALUES (%s)", (version,))


def test_an_empty_database_has_no_schema(database: str) -> None:
    """The error says which command creates it."""
    with connect(database) as connection:
        with pytest.raises(StoreMisconfigured, match="no schema yet: run"):
            require_schema(connection)
        migrate(connection)
        require_schema(connection)
        assert read_version(connection) == SCHEMA_VERSION


def test_no_index_depends_on_the_system(connection: BoundedConnection) -> None:
    """Other versions of its library sort words differently, and damage such indexes.

    So names are in the order in which servers have them.
    """
    collations = connection.execute(
        "SELECT DISTINCT collname FROM pg_index CROSS JOIN unnest(indcollation) AS used"
        " JOIN pg_collation ON pg_collation.oid = used"
        " JOIN pg_class ON pg_class.oid = indrelid"
        " WHERE relnamespace = 'asdlc_kb'::regnamespace"
    ).fetchall()
    assert collations == [("C",)]


def test_several_may_migrate_at_once(database: str) -> None:
    """Each finds the whole schema afterwards."""

    def run(_: int) -> int:
        with connect(database) as connection:
            migrate(connection)
            return read_version(connection)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(run, range(8))) == {SCHEMA_VERSION}


def test_a_newer_schema_is_refused(connection: BoundedConnection) -> None:
    """By the program that writes and the one that reads."""
    set_version(connection, SCHEMA_VERSION + 1)
    actions: list[Callable[[BoundedConnection], None]] = [migrate, require_schema]
    for action in actions:
        with pytest.raises(StoreMisconfigured, match="upgrade it"):
            action(connection)
    assert read_version(connection) == SCHEMA_VERSION + 1


def test_an_older_schema_is_refused(
    connection: BoundedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says how to migrate it."""
    monkeypatch.setattr("asdlc_kb.store.schema.SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with pytest.raises(StoreMisconfigured, match=f"version {SCHEMA_VERSION}, .* once"):
        require_schema(connection)


def test_a_failed_migration_leaves_nothing(
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """The next run begins from the former version."""
    broken = tmp_path_factory.mktemp("migrations") / "002_broken.sql"
    broken.write_text("CREATE TABLE asdlc_kb.half (); SELECT 1 / 0;")
    migrations = "asdlc_kb.store.schema._MIGRATIONS"
    with connect(database) as connection:
        with monkeypatch.context() as patch:
            patch.setattr(migrations, (broken,))
            with pytest.raises(Exception, match="DivisionByZero"):
                migrate(connection)
        assert read_version(connection) == 0
        migrate(connection)


def test_any_role_may_migrate_what_is_current(
    connection: BoundedConnection, postgres: PostgresServer
) -> None:
    """So `ingest` needs the owner only for a new version."""
    postgres.create_role("ingester", "asdlc_ingest")
    with connect(postgres.url_for("ingester", connection.info.dbname)) as other:
        migrate(other)
        set_version(connection, SCHEMA_VERSION - 1)
        with pytest.raises(StoreMisconfigured):
            migrate(other)


def test_an_owner_may_lack_every_other_privilege(
    connection: BoundedConnection, postgres: PostgresServer, database: str
) -> None:
    """An administrator created the roles, and grants what the error names."""
    name = f"{database.rpartition('/')[2]}_owned"
    postgres.create_database(name)
    postgres.create_role(f"owner_{name}")
    with connect(postgres.url_for(f"owner_{name}", name)) as opened:
        statement = f'GRANT CREATE ON DATABASE "{name}" TO "owner_{name}"'
        with pytest.raises(StoreMisconfigured, match=f"run {statement}"):
            migrate(opened)
        postgres.query(statement)
        migrate(opened)
        require_schema(opened)


def test_an_upgrade_names_the_role_that_may(
    connection: BoundedConnection, postgres: PostgresServer
) -> None:
    """A writer does not own the schema."""
    set_version(connection, SCHEMA_VERSION - 1)
    database = connection.info.dbname
    postgres.create_role(f"late_{database}", "asdlc_ingest")
    with connect(postgres.url_for(f"late_{database}", database)) as opened:
        with pytest.raises(StoreMisconfigured, match="the role that owns the schema"):
            migrate(opened)


def test_roles_cannot_log_in(connection: BoundedConnection) -> None:
    """Operators grant them to roles of their own."""
    rows = connection.execute(
        "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s) AND NOT rolcanlogin",
        (list(ROLES),),
    ).fetchall()
    assert {name for (name,) in rows} == set(ROLES)
