-- The state before each merge of two entities, format 4, so that it can be undone. Never edited: a
-- change is a new migration. entity is the id of the one that was removed; number gives the order.
CREATE TABLE merges (
    owner       text COLLATE "C" NOT NULL,
    entity      bigint NOT NULL,
    into_entity bigint NOT NULL,
    number      bigint NOT NULL,
    at          bigint NOT NULL,
    kind        text NOT NULL,
    name        text NOT NULL,
    state       text NOT NULL,
    PRIMARY KEY (owner, entity)
);
CREATE INDEX merges_into ON merges (owner, into_entity);
ALTER TABLE merges ENABLE ROW LEVEL SECURITY;
ALTER TABLE merges FORCE ROW LEVEL SECURITY;
CREATE POLICY one_owner ON merges USING (owner = current_setting('quipu.owner'));
