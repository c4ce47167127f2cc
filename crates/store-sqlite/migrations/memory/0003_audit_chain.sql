-- The audit log becomes a chain, and a memory that tells of a row names its table. Format 3.
-- Never edited: a change is a new migration.

-- mac is the value of the chain after the event; NULL for events from before there was one.
ALTER TABLE audit ADD COLUMN mac BLOB;

-- One row: the newest event, the value of the chain after it, and the seal over both; up to which event and when
-- a checkpoint was made; and how many events that tell of changes retention removed.
CREATE TABLE audit_chain (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    last      INTEGER NOT NULL,
    mac       BLOB NOT NULL,
    seal      BLOB NOT NULL,
    marked    INTEGER NOT NULL,
    marked_at INTEGER NOT NULL,
    removed   INTEGER NOT NULL
) STRICT;
INSERT INTO audit_chain SELECT 1, coalesce(max(id), 0), zeroblob(32), zeroblob(32), 0, 0, 0 FROM audit;

UPDATE memories SET metadata = json_set(coalesce(metadata, '{}'), '$.record_table', t.name)
    FROM records r JOIN tables t ON t.id = r.table_id WHERE r.memory = memories.id;
