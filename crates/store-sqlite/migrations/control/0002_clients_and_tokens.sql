-- What OAuth keeps. Never edited: a change is a new migration.

CREATE TABLE clients (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    redirects     TEXT NOT NULL, -- a JSON array
    registered_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One consent of an owner to one client.
CREATE TABLE families (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      TEXT NOT NULL REFERENCES owners (name) ON DELETE CASCADE,
    agent      TEXT NOT NULL,
    client     TEXT NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    resource   TEXT NOT NULL,
    scope      TEXT NOT NULL,
    since      INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX families_owner ON families (owner);
CREATE INDEX families_client ON families (client);

-- A secret is known by its hash only. A refresh token that was used stays until it expires, to be known again.
CREATE TABLE tokens (
    hash    BLOB PRIMARY KEY,
    family  INTEGER NOT NULL REFERENCES families (id) ON DELETE CASCADE,
    purpose TEXT NOT NULL CHECK (purpose IN ('access', 'refresh')),
    until   INTEGER NOT NULL,
    ended   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_family ON tokens (family);
