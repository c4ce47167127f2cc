-- What is counted is counted without reading texts and vectors. Format 6. Never edited: a change is a new migration.

-- For counting alone: only a query that repeats the condition may use them, so that no other is led astray.
CREATE INDEX memories_counted ON memories (status, kind, collection, project) WHERE id > 0;
CREATE INDEX vectors_counted ON vectors (model) WHERE memory > 0;
