-- The words of the newest questions, format 5, so that the activity says what was asked. Never
-- edited: a change is a new migration. event is the number of the audit event of the call;
-- forgetting a memory removes all rows of its owner.
CREATE TABLE recent_questions (
    owner text COLLATE "C" NOT NULL,
    event bigint NOT NULL,
    text  text NOT NULL,
    PRIMARY KEY (owner, event)
);
ALTER TABLE recent_questions ENABLE ROW LEVEL SECURITY;
ALTER TABLE recent_questions FORCE ROW LEVEL SECURITY;
CREATE POLICY one_owner ON recent_questions USING (owner = current_setting('quipu.owner'));
