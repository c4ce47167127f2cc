-- The words of the newest questions, so that the activity says what was asked. Format 11.
-- Never edited: a change is a new migration.

-- event is the number of the audit event of the call; forgetting a memory empties the table.
CREATE TABLE recent_questions (
    event INTEGER PRIMARY KEY,
    text  TEXT NOT NULL
) STRICT;
