-- Snapshots of search views, format 6, in segments of some megabytes. Never edited: a change is a
-- new migration. They are derived from the memories and can be removed at any time; every batch
-- that erases text removes those of its owner. snapshot is a random id, seq the last change in it,
-- format tells which programs can read it.
CREATE TABLE view_segments (
    owner    text COLLATE "C" NOT NULL,
    snapshot bytea NOT NULL,
    number   bigint NOT NULL,
    seq      bigint NOT NULL,
    format   text COLLATE "C" NOT NULL,
    bytes    bytea NOT NULL,
    PRIMARY KEY (owner, snapshot, number)
);
-- Not compressed: quantised vectors would not get smaller, and reading would take longer.
ALTER TABLE view_segments ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE view_segments ENABLE ROW LEVEL SECURITY;
ALTER TABLE view_segments FORCE ROW LEVEL SECURITY;
CREATE POLICY one_owner ON view_segments USING (owner = current_setting('quipu.owner'));
