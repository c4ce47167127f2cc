-- Small values that expire, format 3: login sessions, one-time links and codes, counts of attempts,
-- the password's hash, leases of jobs. Never edited: a change is a new migration. A key is a hash,
-- so that no secret is here; an owner need not exist yet.
CREATE TABLE expiring (
    owner      text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    hash       bytea NOT NULL,
    value      text NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (owner, kind, hash)
);
CREATE INDEX expiring_ends ON expiring (owner, kind, expires_at);
ALTER TABLE expiring ENABLE ROW LEVEL SECURITY;
ALTER TABLE expiring FORCE ROW LEVEL SECURITY;
CREATE POLICY one_owner ON expiring USING (owner = current_setting('quipu.owner'));
