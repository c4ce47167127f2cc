-- One row: the newest batch that erased text, and how far its traces are removed from the files.
-- The running pass covers what was erased up to `pass` and goes on at `next_page`; 0 is no pass.
CREATE TABLE erasure (
    id        INTEGER PRIMARY KEY CHECK (id = 1),
    newest    INTEGER NOT NULL,
    scrubbed  INTEGER NOT NULL,
    pass      INTEGER NOT NULL,
    next_page INTEGER NOT NULL
) STRICT;
INSERT INTO erasure SELECT 1, coalesce(max(seq), 0), 0, 0, 0 FROM tombstones;
