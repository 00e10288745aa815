"""The writer's SQL statements. Arrays are columns of rows."""

from typing import Final

TRY_LOCK_SOURCE: Final = (
    "SELECT pg_try_advisory_xact_lock("
    "hashtextextended('asdlc_kb.source.' || %s::text, 0))"
)
NOTIFY: Final = "SELECT pg_notify('asdlc_kb_snapshot', %s::text)"

FIND_SOURCE: Final = "SELECT id FROM asdlc_kb.sources WHERE name = %s"
READ_SOURCE: Final = "SELECT id, options, owner FROM asdlc_kb.sources WHERE name = %s"
INSERT_SOURCE: Final = (
    "INSERT INTO asdlc_kb.sources (name, kind, options, owner)"
    " VALUES (%s, %s, %s, %s) RETURNING id"
)
UPDATE_SOURCE: Final = (
    "UPDATE asdlc_kb.sources SET options = %s, owner = %s WHERE id = %s"
)
SET_OWNER: Final = "UPDATE asdlc_kb.sources SET owner = %s WHERE id = %s"
DELETE_SOURCE: Final = "DELETE FROM asdlc_kb.sources WHERE name = %s"

READ_FILES: Final = (
    "SELECT path, digest, false FROM asdlc_kb.files WHERE source_id = %s"
    " UNION ALL"
    " SELECT path, digest, true FROM asdlc_kb.hidden_files WHERE source_id = %s"
)
FIND_BLOBS: Final = (
    "SELECT digest FROM asdlc_kb.blobs WHERE source_id = %s AND digest = ANY(%s)"
)
PUT_BLOBS: Final = (
    "INSERT INTO asdlc_kb.blobs (source_id, digest, content)"
    " SELECT %s, * FROM unnest(%b::bytea[], %b::bytea[])"
)
DELETE_BLOBS: Final = """
DELETE FROM asdlc_kb.blobs WHERE source_id = %s AND digest = ANY(%s)
    AND NOT EXISTS (
        SELECT FROM asdlc_kb.files
        WHERE files.source_id = blobs.source_id AND files.digest = blobs.digest
    )
"""
PUT_FILES: Final = """
INSERT INTO asdlc_kb.files (source_id, changed_in, path, digest, size, mtime_ns)
    SELECT %s, %s, *
    FROM unnest(%s::text[], %b::bytea[], %s::bigint[], %s::bigint[])
    ON CONFLICT (source_id, path) DO UPDATE SET changed_in = excluded.changed_in,
        digest = excluded.digest, size = excluded.size, mtime_ns = excluded.mtime_ns
"""
DELETE_FILES: Final = (
    "DELETE FROM asdlc_kb.files WHERE source_id = %s AND path = ANY(%s::text[])"
)
PUT_HIDDEN: Final = """
INSERT INTO asdlc_kb.hidden_files
    (source_id, path, digest, size, mtime_ns, content)
    SELECT %s, *
    FROM unnest(%s::text[], %b::bytea[], %s::bigint[], %s::bigint[], %b::bytea[])
    ON CONFLICT (source_id, path) DO UPDATE SET digest = excluded.digest,
        size = excluded.size, mtime_ns = excluded.mtime_ns, content = excluded.content
"""
DELETE_HIDDEN: Final = (
    "DELETE FROM asdlc_kb.hidden_files WHERE source_id = %s AND path = ANY(%s::text[])"
)
PUT_REMOVALS: Final = """
INSERT INTO asdlc_kb.removals (source_id, snapshot, path)
    SELECT %s, %s, unnest(%s::text[])
    ON CONFLICT (source_id, path) DO UPDATE SET snapshot = excluded.snapshot
"""
FORGET_REMOVALS: Final = (
    "DELETE FROM asdlc_kb.removals WHERE source_id = %s AND path = ANY(%s::text[])"
)
DELETE_REMOVALS: Final = "DELETE FROM asdlc_kb.removals WHERE source_id = %s"
DELETE_SNAPSHOTS: Final = "DELETE FROM asdlc_kb.snapshots WHERE source_id = %s"

NUMBER: Final = "SELECT snapshot FROM asdlc_kb.sources WHERE id = %s"
NEXT_NUMBER: Final = """
SELECT greatest(snapshot + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM asdlc_kb.sources WHERE id = %s
"""
SET_SNAPSHOT: Final = """
UPDATE asdlc_kb.sources SET snapshot = %s, updated_at = clock_timestamp(),
        file_count = counted.files, byte_count = counted.bytes
    FROM (
        SELECT sources.id, count(path) AS files, coalesce(sum(size), 0) AS bytes
        FROM asdlc_kb.sources LEFT JOIN asdlc_kb.files ON source_id = sources.id
        WHERE sources.id = %s GROUP BY sources.id
    ) AS counted
    WHERE sources.id = counted.id
"""
PUT_SNAPSHOT: Final = (
    "INSERT INTO asdlc_kb.snapshots (source_id, number) VALUES (%s, %s)"
)
PRUNE_SNAPSHOTS: Final = """
DELETE FROM asdlc_kb.snapshots WHERE source_id = %s AND number <= (
    SELECT number FROM asdlc_kb.snapshots WHERE source_id = %s
    ORDER BY number DESC OFFSET %s LIMIT 1
)
"""
PRUNE_REMOVALS: Final = """
DELETE FROM asdlc_kb.removals WHERE source_id = %s AND snapshot <= (
    SELECT min(number) FROM asdlc_kb.snapshots WHERE source_id = %s
)
"""
