-- A memory's vectors are now that of the whole and those of its passages. Format 5. Never edited: a change is a new
-- migration.

-- Vectors from before are those of the whole alone. They are made anew, as after a change of the model.
DELETE FROM vectors;
