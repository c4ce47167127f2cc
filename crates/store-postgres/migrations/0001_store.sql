-- The memories of all owners and what stands above them, format 1. Never edited: a change is a new
-- migration. Times are microseconds since the epoch, UTC. JSON is text, because jsonb would not
-- give every number and every key back as it was written; JSON that says nothing is NULL. Words
-- are compared byte by byte (COLLATE "C"), as on SQLite. Weights and confidences are double
-- precision, the one type besides text, bigint and bytea: they are added and compared in the
-- database as 64-bit numbers, as on SQLite. Below the owners, the owner is the first column of every
-- key and index.

-- Above the owners. Found by a hash or a name before the owner is known, so not under row-level
-- security; on a distributed engine these tables are copied to every node.

-- One row: the counters of keys and token families, and proof of the key of the audit logs.
CREATE TABLE control (
    id          bigint PRIMARY KEY CHECK (id = 1),
    last_key    bigint NOT NULL,
    last_family bigint NOT NULL,
    audit_proof bytea
);
INSERT INTO control VALUES (1, 0, 0, NULL);

CREATE TABLE owners (
    name       text COLLATE "C" PRIMARY KEY,
    created_at bigint NOT NULL
);

-- A secret is known by its hash only.
CREATE TABLE keys (
    id           bigint PRIMARY KEY,
    owner        text COLLATE "C" NOT NULL,
    agent        text NOT NULL,
    label        text NOT NULL,
    prefix       text NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    scope        text NOT NULL,
    created_at   bigint NOT NULL,
    expires_at   bigint,
    last_used_at bigint,
    revoked_at   bigint
);
CREATE INDEX keys_owner ON keys (owner);

-- redirects is a JSON array.
CREATE TABLE clients (
    id            text COLLATE "C" PRIMARY KEY,
    name          text NOT NULL,
    redirects     text NOT NULL,
    registered_at bigint NOT NULL
);

-- One consent of an owner to one client.
CREATE TABLE families (
    id         bigint PRIMARY KEY,
    owner      text COLLATE "C" NOT NULL,
    agent      text NOT NULL,
    client     text NOT NULL,
    resource   text NOT NULL,
    scope      text NOT NULL,
    since      bigint NOT NULL,
    renewed_at bigint NOT NULL,
    revoked_at bigint
);
CREATE INDEX families_owner ON families (owner);
CREATE INDEX families_client ON families (client);

-- A refresh token that was used stays until it expires, to be known again.
CREATE TABLE tokens (
    hash    bytea PRIMARY KEY,
    family  bigint NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('access', 'refresh')),
    until   bigint NOT NULL,
    ended   bigint NOT NULL
);
CREATE INDEX tokens_family ON tokens (family);

-- Below the owners.

-- One row per owner: the identity, the newest sequence number, the last number of everything that
-- is numbered, and the head of the audit log. Every writing transaction locks it first, so that
-- sequence numbers are in the order of commits.
CREATE TABLE clocks (
    owner            text COLLATE "C" PRIMARY KEY,
    identity         bytea NOT NULL,
    seq              bigint NOT NULL,
    references_seq   bigint NOT NULL,
    erased_seq       bigint NOT NULL,
    last_memory      bigint NOT NULL,
    last_session     bigint NOT NULL,
    last_author      bigint NOT NULL,
    last_model       bigint NOT NULL,
    last_entity      bigint NOT NULL,
    last_observation bigint NOT NULL,
    last_relation    bigint NOT NULL,
    last_table       bigint NOT NULL,
    last_handoff     bigint NOT NULL,
    last_document    bigint NOT NULL,
    last_review      bigint NOT NULL,
    last_flag        bigint NOT NULL,
    last_workspace   bigint NOT NULL,
    last_question    bigint NOT NULL,
    last_event       bigint NOT NULL,
    mac              bytea NOT NULL,
    seal             bytea NOT NULL,
    marked           bigint NOT NULL,
    marked_at        bigint NOT NULL,
    removed          bigint NOT NULL
) WITH (fillfactor = 50);

-- Signed statements about the audit log; the key that signs them is not in the database.
CREATE TABLE checkpoints (
    owner  text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    line   text NOT NULL,
    PRIMARY KEY (owner, number)
);

-- Who wrote, through what; said once and named by number.
CREATE TABLE authors (
    owner   text COLLATE "C" NOT NULL,
    id      bigint NOT NULL,
    agent   text NOT NULL,
    client  text,
    dialect text NOT NULL,
    tool    text NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX authors_agent ON authors (owner, agent, tool);

CREATE TABLE sessions (
    owner      text COLLATE "C" NOT NULL,
    id         bigint NOT NULL,
    key        text COLLATE "C",
    project    text,
    agent      text NOT NULL,
    metadata   text,
    started_at bigint NOT NULL,
    ended_at   bigint,
    episode    bigint,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, key)
);
CREATE INDEX sessions_started ON sessions (owner, started_at, id);
CREATE INDEX sessions_episode ON sessions (owner, episode) WHERE episode IS NOT NULL;

-- text_key is the first eight bytes of the text's content hash. updated_at and valid_from are NULL
-- when they equal created_at. record_table repeats the field of the metadata that names the table
-- of a row, for filters.
CREATE TABLE memories (
    owner        text COLLATE "C" NOT NULL,
    id           bigint NOT NULL,
    seq          bigint NOT NULL,
    text_key     bigint NOT NULL,
    status       bigint NOT NULL,
    origin       bigint NOT NULL,
    trust        bigint NOT NULL,
    priority     bigint NOT NULL,
    confidence   double precision NOT NULL,
    open_flags   bigint NOT NULL,
    author       bigint NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint,
    valid_from   bigint,
    valid_to     bigint,
    ended_at     bigint,
    session      bigint,
    kind         text NOT NULL,
    collection   text NOT NULL,
    project      text,
    record_table text,
    title        text,
    summary      text,
    tags         text,
    applies_to   text,
    metadata     text,
    text         text NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, author) REFERENCES authors (owner, id),
    FOREIGN KEY (owner, session) REFERENCES sessions (owner, id)
);
CREATE INDEX memories_seq ON memories (owner, seq);
CREATE INDEX memories_text ON memories (owner, text_key);
CREATE INDEX memories_session ON memories (owner, session) WHERE session IS NOT NULL;
ALTER TABLE sessions ADD FOREIGN KEY (owner, episode) REFERENCES memories (owner, id);

-- A label of a memory, for filters; tags holds them in order.
CREATE TABLE memory_tags (
    owner  text COLLATE "C" NOT NULL,
    tag    text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    PRIMARY KEY (owner, tag, memory),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id) ON DELETE CASCADE
);
CREATE INDEX memory_tags_memory ON memory_tags (owner, memory);

CREATE TABLE uses (
    owner  text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    count  bigint NOT NULL,
    last   bigint NOT NULL,
    PRIMARY KEY (owner, memory),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);

CREATE TABLE models (
    owner      text COLLATE "C" NOT NULL,
    id         bigint NOT NULL,
    name       text NOT NULL,
    dimensions bigint NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, name, dimensions)
);

CREATE TABLE vectors (
    owner   text COLLATE "C" NOT NULL,
    memory  bigint NOT NULL,
    model   bigint NOT NULL,
    windows bytea NOT NULL,
    PRIMARY KEY (owner, memory),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id),
    FOREIGN KEY (owner, model) REFERENCES models (owner, id)
);

CREATE TABLE links (
    owner      text COLLATE "C" NOT NULL,
    source     bigint NOT NULL,
    kind       bigint NOT NULL,
    target     bigint NOT NULL,
    weight     double precision NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (owner, source, kind, target),
    FOREIGN KEY (owner, source) REFERENCES memories (owner, id),
    FOREIGN KEY (owner, target) REFERENCES memories (owner, id)
);
CREATE INDEX links_target ON links (owner, target);

-- What was forgotten: the number is never given again, the hash tells when the text comes back.
CREATE TABLE tombstones (
    owner  text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    hash   bytea NOT NULL,
    seq    bigint NOT NULL,
    at     bigint NOT NULL,
    PRIMARY KEY (owner, memory)
);
CREATE INDEX tombstones_hash ON tombstones (owner, hash);
CREATE INDEX tombstones_seq ON tombstones (owner, seq);

-- folded is the name in lower case with single spaces: how it is looked up.
CREATE TABLE entities (
    owner      text COLLATE "C" NOT NULL,
    id         bigint NOT NULL,
    folded     text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    name       text NOT NULL,
    properties text,
    confidence double precision NOT NULL,
    first_seen bigint NOT NULL,
    last_seen  bigint NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, folded, kind)
);

-- kind is the kind under which the entity went by this name.
CREATE TABLE aliases (
    owner  text COLLATE "C" NOT NULL,
    folded text COLLATE "C" NOT NULL,
    kind   text COLLATE "C" NOT NULL,
    entity bigint NOT NULL,
    name   text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, folded, kind, entity),
    FOREIGN KEY (owner, entity) REFERENCES entities (owner, id) ON DELETE CASCADE
);
CREATE INDEX aliases_entity ON aliases (owner, entity);

CREATE TABLE mentions (
    owner  text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    entity bigint NOT NULL,
    kind   text NOT NULL,
    name   text NOT NULL,
    source text NOT NULL,
    path   text,
    PRIMARY KEY (owner, memory, entity),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id),
    FOREIGN KEY (owner, entity) REFERENCES entities (owner, id)
);
CREATE INDEX mentions_entity ON mentions (owner, entity);

CREATE TABLE observations (
    owner    text COLLATE "C" NOT NULL,
    id       bigint NOT NULL,
    entity   bigint NOT NULL,
    text_key bigint NOT NULL,
    memory   bigint,
    at       bigint NOT NULL,
    text     text NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, entity) REFERENCES entities (owner, id),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);
CREATE INDEX observations_entity ON observations (owner, entity, text_key);
CREATE INDEX observations_memory ON observations (owner, memory) WHERE memory IS NOT NULL;

-- memory is a memory it was said in; unattached tells that it was also said in none.
CREATE TABLE relations (
    owner      text COLLATE "C" NOT NULL,
    id         bigint NOT NULL,
    source     bigint NOT NULL,
    target     bigint NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    weight     double precision NOT NULL,
    confidence double precision NOT NULL,
    memory     bigint,
    unattached bigint NOT NULL,
    properties text,
    first_seen bigint NOT NULL,
    last_seen  bigint NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, source, target, kind),
    FOREIGN KEY (owner, source) REFERENCES entities (owner, id),
    FOREIGN KEY (owner, target) REFERENCES entities (owner, id),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);
CREATE INDEX relations_target ON relations (owner, target);
CREATE INDEX relations_memory ON relations (owner, memory) WHERE memory IS NOT NULL;

-- Every memory a relation was said in, so that it outlives the forgetting of one of several.
CREATE TABLE relation_memories (
    owner    text COLLATE "C" NOT NULL,
    relation bigint NOT NULL,
    memory   bigint NOT NULL,
    PRIMARY KEY (owner, relation, memory),
    FOREIGN KEY (owner, relation) REFERENCES relations (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);
CREATE INDEX relation_memories_memory ON relation_memories (owner, memory);

-- The catalogue of tables; columns is a JSON array of [name, type], rows counts the current ones.
CREATE TABLE tables (
    owner       text COLLATE "C" NOT NULL,
    id          bigint NOT NULL,
    name        text COLLATE "C" NOT NULL,
    description text,
    columns     text NOT NULL,
    rows        bigint NOT NULL,
    last_record bigint NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, name)
);

-- The version of a row that is shown; seq is the batch that last changed it.
CREATE TABLE records (
    owner      text COLLATE "C" NOT NULL,
    table_id   bigint NOT NULL,
    id         bigint NOT NULL,
    memory     bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    data       text NOT NULL,
    seq        bigint NOT NULL,
    PRIMARY KEY (owner, table_id, id),
    FOREIGN KEY (owner, table_id) REFERENCES tables (owner, id),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);
CREATE INDEX records_memory ON records (owner, memory) WHERE memory IS NOT NULL;
CREATE INDEX records_seq ON records (owner, table_id, seq);

-- Other versions of a row, each stated by a memory.
CREATE TABLE record_versions (
    owner    text COLLATE "C" NOT NULL,
    table_id bigint NOT NULL,
    record   bigint NOT NULL,
    memory   bigint NOT NULL,
    data     text NOT NULL,
    PRIMARY KEY (owner, table_id, record, memory),
    FOREIGN KEY (owner, table_id) REFERENCES tables (owner, id),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);
CREATE INDEX record_versions_memory ON record_versions (owner, memory);

-- Rows that are gone, so that copies of a table keep in step with it.
CREATE TABLE dropped_records (
    owner    text COLLATE "C" NOT NULL,
    table_id bigint NOT NULL,
    id       bigint NOT NULL,
    seq      bigint NOT NULL,
    PRIMARY KEY (owner, table_id, id),
    FOREIGN KEY (owner, table_id) REFERENCES tables (owner, id)
);
CREATE INDEX dropped_records_seq ON dropped_records (owner, table_id, seq);

CREATE TABLE profile (
    owner   text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    author  bigint NOT NULL,
    origin  bigint NOT NULL,
    trust   bigint NOT NULL,
    at      bigint NOT NULL,
    reason  text,
    changed text NOT NULL,
    data    text NOT NULL,
    PRIMARY KEY (owner, version),
    FOREIGN KEY (owner, author) REFERENCES authors (owner, id)
);

CREATE TABLE handoffs (
    owner       text COLLATE "C" NOT NULL,
    id          bigint NOT NULL,
    state       text NOT NULL,
    claim_by    text,
    claim_since bigint,
    claim_until bigint,
    claim_notes text,
    created_by  text NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    title       text NOT NULL,
    project     text,
    cwd         text,
    harness     text,
    source_ref  text,
    tags        text,
    document    text NOT NULL,
    PRIMARY KEY (owner, id)
);

CREATE TABLE documents (
    owner      text COLLATE "C" NOT NULL,
    id         bigint NOT NULL,
    path       text COLLATE "C" NOT NULL,
    title      text NOT NULL,
    hash       bytea NOT NULL,
    sections   bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, path)
);

CREATE TABLE sections (
    owner    text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    ordinal  bigint NOT NULL,
    model    bigint,
    windows  bytea,
    heading  text NOT NULL,
    text     text NOT NULL,
    PRIMARY KEY (owner, document, ordinal),
    FOREIGN KEY (owner, document) REFERENCES documents (owner, id) ON DELETE CASCADE,
    FOREIGN KEY (owner, model) REFERENCES models (owner, id)
);

-- before is what a decision changed, as it stood before; numbers and statuses only.
CREATE TABLE reviews (
    owner       text COLLATE "C" NOT NULL,
    id          bigint NOT NULL,
    kind        text NOT NULL,
    subject     bigint,
    against     bigint,
    raised_by   text NOT NULL,
    raised_at   bigint NOT NULL,
    resolution  text,
    resolved_by text,
    resolved_at bigint,
    reason      text NOT NULL,
    details     text,
    before      text,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, subject) REFERENCES memories (owner, id),
    FOREIGN KEY (owner, against) REFERENCES memories (owner, id)
);
CREATE INDEX reviews_subject ON reviews (owner, subject) WHERE subject IS NOT NULL;
CREATE INDEX reviews_against ON reviews (owner, against) WHERE against IS NOT NULL;

CREATE TABLE flags (
    owner   text COLLATE "C" NOT NULL,
    id      bigint NOT NULL,
    memory  bigint NOT NULL,
    settled bigint NOT NULL,
    by      text NOT NULL,
    at      bigint NOT NULL,
    reason  text NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);
CREATE INDEX flags_memory ON flags (owner, memory);

CREATE TABLE workspaces (
    owner text COLLATE "C" NOT NULL,
    id    bigint NOT NULL,
    name  text NOT NULL,
    PRIMARY KEY (owner, id)
);

-- source is an owner's name or a file's, as source_kind tells.
CREATE TABLE contexts (
    owner       text COLLATE "C" NOT NULL,
    workspace   bigint NOT NULL,
    number      bigint NOT NULL,
    source_kind text NOT NULL,
    source      text NOT NULL,
    role        text NOT NULL,
    label       text NOT NULL,
    PRIMARY KEY (owner, workspace, number),
    FOREIGN KEY (owner, workspace) REFERENCES workspaces (owner, id)
);

CREATE TABLE grants (
    owner      text COLLATE "C" NOT NULL,
    agent      text COLLATE "C" NOT NULL,
    resource   text COLLATE "C" NOT NULL,
    permission text NOT NULL,
    granted_at bigint NOT NULL,
    PRIMARY KEY (owner, agent, resource)
);

-- Append-only. Bodies are hashed, so forgetting a memory leaves the log whole. seq is 0 for a read;
-- mac is the value of the chain after the event.
CREATE TABLE audit (
    owner       text COLLATE "C" NOT NULL,
    id          bigint NOT NULL,
    seq         bigint NOT NULL,
    author      bigint NOT NULL,
    outcome     bigint NOT NULL,
    at          bigint NOT NULL,
    duration_us bigint NOT NULL,
    resource    text NOT NULL,
    arguments   bytea NOT NULL,
    note        text NOT NULL,
    mac         bytea NOT NULL,
    PRIMARY KEY (owner, id),
    FOREIGN KEY (owner, author) REFERENCES authors (owner, id)
);

-- made is what the batch made, a line for each change: ids and counts only.
CREATE TABLE idempotency (
    owner       text COLLATE "C" NOT NULL,
    agent       text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    seq         bigint NOT NULL,
    made        text NOT NULL,
    PRIMARY KEY (owner, agent, key)
);

CREATE TABLE settings (
    owner text COLLATE "C" NOT NULL,
    name  text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (owner, name)
);

-- The last times that a memory was shown; event is the audit event that tells to whom and when.
CREATE TABLE shown (
    owner  text COLLATE "C" NOT NULL,
    memory bigint NOT NULL,
    event  bigint NOT NULL,
    PRIMARY KEY (owner, memory, event),
    FOREIGN KEY (owner, memory) REFERENCES memories (owner, id)
);

-- How much each agent asked for and got; day counts the days since the epoch, UTC.
CREATE TABLE usage (
    owner   text COLLATE "C" NOT NULL,
    day     bigint NOT NULL,
    agent   text COLLATE "C" NOT NULL,
    calls   bigint NOT NULL,
    tokens  bigint NOT NULL,
    recalls bigint NOT NULL,
    empty   bigint NOT NULL,
    last    bigint NOT NULL,
    PRIMARY KEY (owner, day, agent)
);

-- Questions that found nothing; folded is how a question is known again.
CREATE TABLE questions (
    owner  text COLLATE "C" NOT NULL,
    id     bigint NOT NULL,
    folded text COLLATE "C" NOT NULL,
    agent  text NOT NULL,
    times  bigint NOT NULL,
    at     bigint NOT NULL,
    text   text NOT NULL,
    PRIMARY KEY (owner, id),
    UNIQUE (owner, folded)
);
CREATE INDEX questions_at ON questions (owner, at);
