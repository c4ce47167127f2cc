-- Which batch last changed a row, and which rows are gone, so that copies of a table keep in step with it.
-- Rows of format 1 carry no number: a copy takes in every row when it is made.

ALTER TABLE records ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
CREATE INDEX records_seq ON records (table_id, seq);

CREATE TABLE dropped_records (
    table_id INTEGER NOT NULL REFERENCES tables (id),
    id       INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    PRIMARY KEY (table_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dropped_records_seq ON dropped_records (table_id, seq);
