-- What stands above the owners, format 1. Never edited: a change is a new migration.

CREATE TABLE migrations (
    version  INTEGER PRIMARY KEY,
    checksum BLOB NOT NULL
) STRICT;

CREATE TABLE owners (
    name       TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A secret is known by its hash only.
CREATE TABLE keys (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        TEXT NOT NULL REFERENCES owners (name) ON DELETE CASCADE,
    agent        TEXT NOT NULL,
    label        TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    hash         BLOB NOT NULL UNIQUE,
    scope        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT;
CREATE INDEX keys_owner ON keys (owner);
