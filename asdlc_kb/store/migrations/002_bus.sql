-- Messages between servers that are too long for a notification.
--
-- Not logged: after a crash they are lost, as everything under way is. Members of
-- asdlc_bus write and delete them, no other role can read them.

CREATE UNLOGGED TABLE asdlc_kb.bus_messages (
    key text COLLATE "C" PRIMARY KEY,
    data bytea NOT NULL CHECK (octet_length(data) <= 8388608),
    sent_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE asdlc_kb.bus_messages ALTER COLUMN data SET STORAGE EXTERNAL;

GRANT USAGE ON SCHEMA asdlc_kb TO asdlc_bus;
GRANT SELECT ON asdlc_kb.schema_version TO asdlc_bus;
GRANT SELECT, INSERT (key, data), DELETE ON asdlc_kb.bus_messages TO asdlc_bus;
