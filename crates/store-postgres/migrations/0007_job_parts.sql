-- Files of jobs in the dashboard, in parts of about a megabyte: uploads before they are imported,
-- exports until they are downloaded. Never edited: a change is a new migration. They expire after an
-- hour; a batch that erases text removes the exports of its owner.
CREATE TABLE job_parts (
    owner      text COLLATE "C" NOT NULL,
    job        bigint NOT NULL,
    number     bigint NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    expires_at bigint NOT NULL,
    bytes      bytea NOT NULL,
    PRIMARY KEY (owner, job, number)
);
ALTER TABLE job_parts ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_parts FORCE ROW LEVEL SECURITY;
CREATE POLICY one_owner ON job_parts USING (owner = current_setting('quipu.owner'));
