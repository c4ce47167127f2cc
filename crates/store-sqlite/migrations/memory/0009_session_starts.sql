-- The newest sessions are found without sorting all of them. Format 9.
-- Never edited: a change is a new migration.

CREATE INDEX sessions_started ON sessions (started_at, id);
