-- A row has versions, each stated by a memory; records holds the version that is shown, and rows counts the current
-- ones. Format 7. Never edited: a change is a new migration.

CREATE TABLE record_versions (
    table_id INTEGER NOT NULL REFERENCES tables (id),
    record   INTEGER NOT NULL,
    memory   INTEGER NOT NULL REFERENCES memories (id),
    data     TEXT NOT NULL,
    PRIMARY KEY (table_id, record, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX record_versions_memory ON record_versions (memory);

-- Until now a changed row kept its first memory, which the memory of the change supersedes (status 2, link 4). The row
-- is stated by the newest memory that replaced the first, unless that one was written with a row of its own.
WITH RECURSIVE later (table_id, record, memory) AS (
    SELECT r.table_id, r.id, l.source FROM records r
    JOIN memories m ON m.id = r.memory AND m.status = 2
    JOIN links l ON l.target = r.memory AND l.kind = 4
    UNION SELECT v.table_id, v.record, l.source FROM later v JOIN links l ON l.target = v.memory AND l.kind = 4
    WHERE NOT EXISTS (SELECT 1 FROM records o WHERE o.memory = v.memory)
),
stated (table_id, record, memory, rank) AS (
    SELECT v.table_id, v.record, v.memory,
        row_number() OVER (PARTITION BY v.table_id, v.record ORDER BY m.status <> 0, v.memory DESC)
    FROM later v JOIN memories m ON m.id = v.memory
    WHERE NOT EXISTS (SELECT 1 FROM records o WHERE o.memory = v.memory)
)
UPDATE records SET memory = s.memory FROM stated s
    WHERE s.table_id = records.table_id AND s.record = records.id AND s.rank = 1;

UPDATE tables SET rows = (SELECT count(*) FROM records r LEFT JOIN memories m ON m.id = r.memory
    WHERE r.table_id = tables.id AND coalesce(m.status, 0) = 0);

-- A relation is attributed to an active memory that states it, where there is one.
UPDATE relations SET memory = coalesce(
    (SELECT min(s.memory) FROM relation_memories s JOIN memories m ON m.id = s.memory
     WHERE s.relation = relations.id AND m.status = 0), iif(unattached, NULL, memory))
    WHERE memory IS NOT NULL;
