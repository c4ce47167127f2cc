-- The state before each merge of two entities, so that it can be undone. Format 10.
-- Never edited: a change is a new migration.

-- entity is the id of the one that was removed; number gives the order; state is JSON.
CREATE TABLE merges (
    entity      INTEGER PRIMARY KEY,
    into_entity INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    name        TEXT NOT NULL,
    state       TEXT NOT NULL
) STRICT;
CREATE INDEX merges_into ON merges (into_entity);
