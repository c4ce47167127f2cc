-- Distributes the first schema of the search path over the nodes of Citus: the tables below the
-- owners by owner, those above them copied to every node. Run again after an update of the schema,
-- it takes what was added. Foreign keys are removed and added again, because two tables refer to
-- each other, and Citus distributes no table that refers to one that is not distributed yet. The
-- owner of a transaction, which row-level security needs, is sent to the nodes by a setting of the
-- database: start the servers after that. Nodes connect to each other as the role of the servers,
-- which therefore may log in; it has no password.
DO $$
DECLARE
    one record;
    keys text[] := '{}';
BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'quipu_server' AND NOT rolcanlogin) THEN
        ALTER ROLE quipu_server LOGIN;
    END IF;
    EXECUTE format(
        'ALTER DATABASE %I SET citus.propagate_set_commands = ''local''', current_database());
    FOR one IN
        SELECT f.conrelid::regclass AS relation, f.conname AS name,
            pg_get_constraintdef(f.oid) AS definition
        FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
        WHERE c.relnamespace = current_schema()::regnamespace AND f.contype = 'f'
            AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.relation, one.name);
        keys := keys || format(
            'ALTER TABLE %s ADD CONSTRAINT %I %s', one.relation, one.name, one.definition);
    END LOOP;
    FOR one IN
        SELECT c.oid::regclass::text AS name, c.relrowsecurity AS below_owners
        FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
            AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
    LOOP
        IF one.below_owners THEN
            PERFORM create_distributed_table(one.name, 'owner');
        ELSE
            PERFORM create_reference_table(one.name);
        END IF;
    END LOOP;
    FOR number IN 1 .. cardinality(keys) LOOP
        EXECUTE keys[number];
    END LOOP;
END $$;
