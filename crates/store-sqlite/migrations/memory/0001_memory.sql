-- The memory of one owner, format 1. Never edited: a change is a new migration.
-- Times are microseconds since the epoch, UTC. JSON that says nothing is NULL.

CREATE TABLE migrations (
    version  INTEGER PRIMARY KEY,
    checksum BLOB NOT NULL
) STRICT;

-- One row: who this memory is, and the counters that every batch moves on.
CREATE TABLE meta (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    identity       BLOB NOT NULL,
    seq            INTEGER NOT NULL,
    references_seq INTEGER NOT NULL,
    last_memory    INTEGER NOT NULL,
    erased         INTEGER NOT NULL
) STRICT;
INSERT INTO meta VALUES (1, randomblob(16), 0, 0, 0, 0);

-- Who wrote, through what; said once and named by number.
CREATE TABLE authors (
    id      INTEGER PRIMARY KEY,
    agent   TEXT NOT NULL,
    client  TEXT,
    dialect TEXT NOT NULL,
    tool    TEXT NOT NULL
) STRICT;
CREATE INDEX authors_agent ON authors (agent, tool);

CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY,
    key        TEXT UNIQUE,
    project    TEXT,
    agent      TEXT NOT NULL,
    metadata   TEXT,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    episode    INTEGER REFERENCES memories (id)
) STRICT;
CREATE INDEX sessions_episode ON sessions (episode) WHERE episode IS NOT NULL;

-- text_key is the first eight bytes of the text's content hash; the rest is computed when it matters.
-- updated_at and valid_from are NULL when they equal created_at. The text comes last, for it may overflow.
CREATE TABLE memories (
    id         INTEGER PRIMARY KEY,
    seq        INTEGER NOT NULL,
    text_key   INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    origin     INTEGER NOT NULL,
    trust      INTEGER NOT NULL,
    priority   INTEGER NOT NULL,
    confidence REAL NOT NULL,
    open_flags INTEGER NOT NULL,
    author     INTEGER NOT NULL REFERENCES authors (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER,
    valid_from INTEGER,
    valid_to   INTEGER,
    ended_at   INTEGER,
    session    INTEGER REFERENCES sessions (id),
    kind       TEXT NOT NULL,
    collection TEXT NOT NULL,
    project    TEXT,
    title      TEXT,
    summary    TEXT,
    tags       TEXT,
    applies_to TEXT,
    metadata   TEXT,
    text       TEXT NOT NULL
) STRICT;
CREATE INDEX memories_seq ON memories (seq);
CREATE INDEX memories_text ON memories (text_key);
CREATE INDEX memories_session ON memories (session) WHERE session IS NOT NULL;

-- Apart from the memories, because every recall writes here and a dense table dirties few pages.
CREATE TABLE uses (
    memory INTEGER PRIMARY KEY REFERENCES memories (id),
    count  INTEGER NOT NULL,
    last   INTEGER NOT NULL
) STRICT;

CREATE TABLE models (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    UNIQUE (name, dimensions)
) STRICT;

CREATE TABLE vectors (
    memory  INTEGER PRIMARY KEY REFERENCES memories (id),
    model   INTEGER NOT NULL REFERENCES models (id),
    windows BLOB NOT NULL
) STRICT;

CREATE TABLE links (
    source     INTEGER NOT NULL REFERENCES memories (id),
    kind       INTEGER NOT NULL,
    target     INTEGER NOT NULL REFERENCES memories (id),
    weight     REAL NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (source, kind, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_target ON links (target);

-- What was forgotten: the number is never given again, the hash tells when the text comes back.
CREATE TABLE tombstones (
    memory INTEGER PRIMARY KEY,
    hash   BLOB NOT NULL,
    seq    INTEGER NOT NULL,
    at     INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstones_hash ON tombstones (hash);
CREATE INDEX tombstones_seq ON tombstones (seq);

-- folded is the name in lower case with single spaces: how it is looked up.
CREATE TABLE entities (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    folded     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    properties TEXT,
    confidence REAL NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    UNIQUE (folded, kind)
) STRICT;

-- kind is the kind under which the entity went by this name.
CREATE TABLE aliases (
    folded TEXT NOT NULL,
    kind   TEXT NOT NULL,
    entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    name   TEXT NOT NULL,
    PRIMARY KEY (folded, kind, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_entity ON aliases (entity);

CREATE TABLE mentions (
    memory INTEGER NOT NULL REFERENCES memories (id),
    entity INTEGER NOT NULL REFERENCES entities (id),
    kind   TEXT NOT NULL,
    name   TEXT NOT NULL,
    source TEXT NOT NULL,
    path   TEXT,
    PRIMARY KEY (memory, entity)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_entity ON mentions (entity);

CREATE TABLE observations (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    entity   INTEGER NOT NULL REFERENCES entities (id),
    text_key INTEGER NOT NULL,
    memory   INTEGER REFERENCES memories (id),
    at       INTEGER NOT NULL,
    text     TEXT NOT NULL
) STRICT;
CREATE INDEX observations_entity ON observations (entity, text_key);
CREATE INDEX observations_memory ON observations (memory) WHERE memory IS NOT NULL;

-- memory is the first memory it was said in; unattached tells that it was also said in none.
CREATE TABLE relations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    source     INTEGER NOT NULL REFERENCES entities (id),
    target     INTEGER NOT NULL REFERENCES entities (id),
    kind       TEXT NOT NULL,
    weight     REAL NOT NULL,
    confidence REAL NOT NULL,
    memory     INTEGER REFERENCES memories (id),
    unattached INTEGER NOT NULL,
    properties TEXT,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    UNIQUE (source, target, kind)
) STRICT;
CREATE INDEX relations_target ON relations (target);
CREATE INDEX relations_memory ON relations (memory) WHERE memory IS NOT NULL;

-- Every memory a relation was said in, so that it outlives the forgetting of one of several.
CREATE TABLE relation_memories (
    relation INTEGER NOT NULL REFERENCES relations (id) ON DELETE CASCADE,
    memory   INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (relation, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX relation_memories_memory ON relation_memories (memory);

-- The catalogue of tables; columns is a JSON array of [name, type].
CREATE TABLE tables (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    description TEXT,
    columns     TEXT NOT NULL,
    rows        INTEGER NOT NULL,
    last_record INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE records (
    table_id   INTEGER NOT NULL REFERENCES tables (id),
    id         INTEGER NOT NULL,
    memory     INTEGER REFERENCES memories (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    data       TEXT NOT NULL,
    PRIMARY KEY (table_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX records_memory ON records (memory) WHERE memory IS NOT NULL;

CREATE TABLE profile (
    version INTEGER PRIMARY KEY,
    author  INTEGER NOT NULL REFERENCES authors (id),
    origin  INTEGER NOT NULL,
    trust   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    reason  TEXT,
    changed TEXT NOT NULL,
    data    TEXT NOT NULL
) STRICT;

CREATE TABLE handoffs (
    id          INTEGER PRIMARY KEY,
    state       TEXT NOT NULL,
    claim_by    TEXT,
    claim_since INTEGER,
    claim_until INTEGER,
    claim_notes TEXT,
    created_by  TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    title       TEXT NOT NULL,
    project     TEXT,
    cwd         TEXT,
    harness     TEXT,
    source_ref  TEXT,
    tags        TEXT,
    document    TEXT NOT NULL
) STRICT;

CREATE TABLE documents (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    path       TEXT NOT NULL UNIQUE,
    title      TEXT NOT NULL,
    hash       BLOB NOT NULL,
    sections   INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE sections (
    id       INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    ordinal  INTEGER NOT NULL,
    model    INTEGER REFERENCES models (id),
    windows  BLOB,
    heading  TEXT NOT NULL,
    text     TEXT NOT NULL,
    UNIQUE (document, ordinal)
) STRICT;

CREATE TABLE reviews (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    subject     INTEGER REFERENCES memories (id),
    against     INTEGER REFERENCES memories (id),
    raised_by   TEXT NOT NULL,
    raised_at   INTEGER NOT NULL,
    resolution  TEXT,
    resolved_by TEXT,
    resolved_at INTEGER,
    reason      TEXT NOT NULL,
    details     TEXT
) STRICT;
CREATE INDEX reviews_subject ON reviews (subject) WHERE subject IS NOT NULL;
CREATE INDEX reviews_against ON reviews (against) WHERE against IS NOT NULL;

CREATE TABLE flags (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    memory  INTEGER NOT NULL REFERENCES memories (id),
    settled INTEGER NOT NULL,
    by      TEXT NOT NULL,
    at      INTEGER NOT NULL,
    reason  TEXT NOT NULL
) STRICT;
CREATE INDEX flags_memory ON flags (memory);

CREATE TABLE workspaces (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;

-- source is an owner's name or a file's, as source_kind tells.
CREATE TABLE contexts (
    workspace   INTEGER NOT NULL REFERENCES workspaces (id),
    number      INTEGER NOT NULL,
    source_kind TEXT NOT NULL,
    source      TEXT NOT NULL,
    role        TEXT NOT NULL,
    label       TEXT NOT NULL,
    PRIMARY KEY (workspace, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
    agent      TEXT NOT NULL,
    resource   TEXT NOT NULL,
    permission TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    PRIMARY KEY (agent, resource)
) STRICT, WITHOUT ROWID;

-- Append-only. Bodies are hashed, so forgetting a memory leaves the log whole. seq is 0 for a read.
CREATE TABLE audit (
    id          INTEGER PRIMARY KEY,
    seq         INTEGER NOT NULL,
    author      INTEGER NOT NULL REFERENCES authors (id),
    outcome     INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    duration_us INTEGER NOT NULL,
    resource    TEXT NOT NULL,
    arguments   BLOB NOT NULL,
    note        TEXT NOT NULL
) STRICT;

-- made is what the batch made, a line for each change: ids and counts only.
CREATE TABLE idempotency (
    agent       TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    seq         INTEGER NOT NULL,
    made        TEXT NOT NULL,
    PRIMARY KEY (agent, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
