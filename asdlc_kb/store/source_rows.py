"""Rows of sources, read by writers and readers through the same view."""

from typing import Any

from psycopg import Connection

from asdlc_kb.store.values import SourceRecord


def read_sources(connection: Connection[Any]) -> tuple[SourceRecord, ...]:
    """Return all sources, by name."""
    rows = connection.execute(
        "SELECT name, kind, options, owner, snapshot, file_count, byte_count,"
        " extract(epoch FROM updated_at)::float8"
        " FROM asdlc_kb.visible_sources ORDER BY name"
    ).fetchall()
    return tuple(SourceRecord(*row) for row in rows)
