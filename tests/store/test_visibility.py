"""What the role of readers can find out about hidden files: nothing in any row."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors, sql
from store.postgres import PostgresServer
from store.snapshots import WrittenSource, record

from asdlc_kb.store.database import BoundedConnection, connect

CANARY = "canary-of-a-hidden-row"
TABLES = (
    "blobs",
    "files",
    "hidden_files",
    "migrations",
    "removals",
    "snapshots",
    "sources",
)


@pytest.fixture
def reader(
    connection: BoundedConnection, postgres: PostgresServer
) -> Iterator[BoundedConnection]:
    """A connection of a reader to a store with hidden files, some visible before."""
    source = WrittenSource(connection)
    public = {"a": b"public", "was-visible": b"public too"}
    hidden = {f"{CANARY}.md": CANARY.encode(), "b": f"x{CANARY}".encode()}
    source.write({**public}, hidden)
    source.write({"a": b"public"}, {**hidden, "was-visible": CANARY.encode()})
    connection.execute("ANALYZE")
    database = connection.info.dbname
    role = f"visitor_{database}"
    postgres.create_role(role, "asdlc_reader")
    with connect(postgres.url_for(role, database)) as opened:
        yield opened


def relations(connection: BoundedConnection, kinds: str) -> list[str]:
    """Return the names of the schema's tables ("rpmf") or views ("v")."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'asdlc_kb'::regnamespace"
        " AND relkind::text = ANY(%s) ORDER BY 1",
        (list(kinds),),
    )
    return [name for (name,) in rows]


def test_a_reader_has_the_views_only(reader: BoundedConnection) -> None:
    """And nothing but SELECT on them."""
    assert set(TABLES) <= set(relations(reader, "rpmf"))
    for name in relations(reader, "rpmf"):
        row = reader.execute(
            "SELECT has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE,"
            " TRUNCATE, REFERENCES, TRIGGER'), has_any_column_privilege(c.oid,"
            " 'SELECT, INSERT, UPDATE, REFERENCES') FROM pg_class c"
            " WHERE relname = %s AND relnamespace = 'asdlc_kb'::regnamespace",
            (name,),
        ).fetchone()
        assert row == (False, False), name
    for name in relations(reader, "v"):
        row = reader.execute(
            "SELECT has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid,"
            " 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'),"
            " 'security_barrier=true' = ANY(reloptions) FROM pg_class c"
            " WHERE relname = %s AND relnamespace = 'asdlc_kb'::regnamespace",
            (name,),
        ).fetchone()
        assert row == (True, False, True), name


def test_a_reader_can_create_nothing_in_the_schema(reader: BoundedConnection) -> None:
    """Nor call a function of it: there is none."""
    row = reader.execute(
        "SELECT has_schema_privilege('asdlc_kb', 'CREATE'), count(*) FROM pg_proc"
        " WHERE pronamespace = 'asdlc_kb'::regnamespace"
    ).fetchone()
    assert row == (False, 0)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM {}",
        "EXPLAIN ANALYZE SELECT * FROM {}",
        "COPY {} TO STDOUT",
        "LOCK TABLE {}",
        "TRUNCATE {}",
        "CREATE TEMPORARY VIEW seen AS SELECT * FROM {}; SELECT * FROM seen",
    ],
)
def test_a_table_is_refused(
    reader: BoundedConnection, table: str, statement: str
) -> None:
    """With any statement."""
    text = sql.SQL(statement).format(sql.Identifier("asdlc_kb", table))
    with pytest.raises(errors.InsufficientPrivilege), reader.transaction():
        reader.execute(text)


def test_no_view_has_a_hidden_row(reader: BoundedConnection) -> None:
    """Neither text nor digest, path or count; nor what the catalogs say of columns."""
    views = [f"asdlc_kb.{name}" for name in relations(reader, "v")]
    digest = record("", CANARY.encode()).digest
    for name in (*views, "pg_stats", "pg_stat_activity", "pg_stats_ext"):
        rows = reader.execute(f"SELECT t::text FROM {name} AS t".encode()).fetchall()
        texts = [text for (text,) in rows]
        for secret in (CANARY, CANARY.encode().hex(), digest.hex()):
            assert not [text for text in texts if secret in text], name
    (row,) = reader.execute("SELECT file_count FROM asdlc_kb.visible_sources")
    assert row == (1,)
    removals = reader.execute("SELECT path FROM asdlc_kb.visible_removals").fetchall()
    assert removals == [("was-visible",)]


def test_a_plan_counts_no_hidden_row(reader: BoundedConnection) -> None:
    """D-246: a filter would show how many rows it left out."""
    for name in relations(reader, "v"):
        rows = reader.execute(
            f"EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM asdlc_kb.{name}".encode()
        ).fetchall()
        plan = "\n".join(line for (line,) in rows)
        assert "hidden" not in plan
        assert "Removed by Filter" not in plan


def test_a_cheap_function_sees_visible_rows_only(reader: BoundedConnection) -> None:
    """The planner calls it before the conditions of a view, without a barrier."""
    seen: list[str] = []
    reader.add_notice_handler(lambda notice: seen.append(str(notice.message_primary)))
    reader.execute(
        "CREATE FUNCTION pg_temp.spy(bytea) RETURNS boolean LANGUAGE plpgsql COST 0.001"
        " AS $$ BEGIN RAISE NOTICE '%', encode($1, 'escape'); RETURN true; END $$"
    )
    reader.execute("SELECT FROM asdlc_kb.visible_blobs WHERE pg_temp.spy(content)")
    assert seen == ["public"]


def test_the_log_of_the_server_has_no_content(
    reader: BoundedConnection, postgres: PostgresServer
) -> None:
    """Even if a statement with one fails."""
    url = postgres.url_for("postgres", reader.info.dbname)
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute(
            "ALTER TABLE asdlc_kb.hidden_files ADD CHECK (size < 100) NOT VALID"
        )
        with connect(url) as connection:
            source = WrittenSource(connection)
            with pytest.raises(Exception, match="CheckViolation") as caught:
                source.write({"a": b"public"}, {"h": CANARY.encode() * 10})
    assert CANARY not in str(caught.value)
    assert not [line for line in postgres.log if CANARY in line]
