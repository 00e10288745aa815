-- Sources, their files and the history of their snapshots.
--
-- Hidden files have a table of their own, so no statement over the views, nor the time
-- that it takes, depends on them (D-246). Ingesters write tables, readers see views.
-- What has an index sorts by code points, as servers do: the order of a language changes
-- with versions of the system's library, which damages indexes.

CREATE TABLE asdlc_kb.sources (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('articles', 'docs')),
    options jsonb NOT NULL DEFAULT '{}',
    owner text NOT NULL DEFAULT '',
    snapshot bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    file_count bigint NOT NULL DEFAULT 0,
    byte_count bigint NOT NULL DEFAULT 0
);

-- Contents of visible files, each once for a source.
CREATE TABLE asdlc_kb.blobs (
    source_id integer NOT NULL REFERENCES asdlc_kb.sources ON DELETE CASCADE,
    digest bytea NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (source_id, digest)
);

CREATE TABLE asdlc_kb.files (
    source_id integer NOT NULL REFERENCES asdlc_kb.sources ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    changed_in bigint NOT NULL,
    PRIMARY KEY (source_id, path),
    FOREIGN KEY (source_id, digest) REFERENCES asdlc_kb.blobs
        DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX files_digest ON asdlc_kb.files (source_id, digest);
CREATE INDEX files_changed_in ON asdlc_kb.files (source_id, changed_in);

CREATE TABLE asdlc_kb.hidden_files (
    source_id integer NOT NULL REFERENCES asdlc_kb.sources ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    digest bytea NOT NULL,
    size bigint NOT NULL,
    mtime_ns bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (source_id, path)
);

-- Paths that were visible and are not any more: hidden and deleted are the same here.
CREATE TABLE asdlc_kb.removals (
    source_id integer NOT NULL REFERENCES asdlc_kb.sources ON DELETE CASCADE,
    path text COLLATE "C" NOT NULL,
    snapshot bigint NOT NULL,
    PRIMARY KEY (source_id, path)
);
CREATE INDEX removals_snapshot ON asdlc_kb.removals (source_id, snapshot);

-- The snapshots from which the difference to the current one is known.
CREATE TABLE asdlc_kb.snapshots (
    source_id integer NOT NULL REFERENCES asdlc_kb.sources ON DELETE CASCADE,
    number bigint NOT NULL,
    PRIMARY KEY (source_id, number)
);

CREATE VIEW asdlc_kb.visible_sources WITH (security_barrier) AS
    SELECT id AS source_id, name, kind, options, owner, snapshot, updated_at,
        file_count, byte_count
    FROM asdlc_kb.sources;
CREATE VIEW asdlc_kb.visible_files WITH (security_barrier) AS
    SELECT source_id, path, digest, size, mtime_ns, changed_in FROM asdlc_kb.files;
CREATE VIEW asdlc_kb.visible_blobs WITH (security_barrier) AS
    SELECT source_id, digest, content FROM asdlc_kb.blobs;
CREATE VIEW asdlc_kb.visible_removals WITH (security_barrier) AS
    SELECT source_id, path, snapshot FROM asdlc_kb.removals;
CREATE VIEW asdlc_kb.visible_snapshots WITH (security_barrier) AS
    SELECT source_id, number FROM asdlc_kb.snapshots;

GRANT SELECT ON asdlc_kb.visible_sources, asdlc_kb.visible_files,
    asdlc_kb.visible_blobs, asdlc_kb.visible_removals, asdlc_kb.visible_snapshots
    TO asdlc_reader, asdlc_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON asdlc_kb.sources, asdlc_kb.blobs,
    asdlc_kb.files, asdlc_kb.hidden_files, asdlc_kb.removals, asdlc_kb.snapshots
    TO asdlc_ingest;
