-- What is told of use, and how things stood before a decision. Format 4. Never edited: a change is a new migration.

-- The last times that a memory was shown; event is the number of the audit event that tells to whom and when.
CREATE TABLE shown (
    memory INTEGER NOT NULL REFERENCES memories (id),
    event  INTEGER NOT NULL,
    PRIMARY KEY (memory, event)
) STRICT, WITHOUT ROWID;

-- How much each agent asked for and got; day counts the days since the epoch, UTC.
CREATE TABLE usage (
    day     INTEGER NOT NULL,
    agent   TEXT NOT NULL,
    calls   INTEGER NOT NULL,
    tokens  INTEGER NOT NULL,
    recalls INTEGER NOT NULL,
    empty   INTEGER NOT NULL,
    last    INTEGER NOT NULL,
    PRIMARY KEY (day, agent)
) STRICT, WITHOUT ROWID;

-- Questions that found nothing; folded is how a question is known again.
CREATE TABLE questions (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    folded TEXT NOT NULL UNIQUE,
    agent  TEXT NOT NULL,
    times  INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    text   TEXT NOT NULL
) STRICT;
CREATE INDEX questions_at ON questions (at);

-- What a decision changed, as it stood before; numbers and statuses only.
ALTER TABLE reviews ADD COLUMN before TEXT;
