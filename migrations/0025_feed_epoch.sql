-- Cursors of the event feed name the epoch that they belong to. A restored database begins a new one, because
-- its transaction numbers may be taken again, or are another cluster's.

-- migrate:up
-- Null where the role may not ask. A dump that is restored elsewhere finds another number there.
CREATE FUNCTION cluster_identifier() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') THEN
    RETURN (SELECT system_identifier FROM pg_control_system());
  END IF;
  RETURN NULL;
END $$;

-- The row with the greatest number is in force.
CREATE TABLE feed_epochs (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  epoch text NOT NULL, -- '': its cursors name none
  began_at timestamptz(3) NOT NULL,
  cluster bigint
);

-- The readers of a database with events have cursors without an epoch, and the previous release, which serves
-- beside this one for a while, knows no others.
INSERT INTO feed_epochs (epoch, began_at, cluster)
SELECT CASE WHEN EXISTS (SELECT FROM events) THEN '' ELSE substr(md5(gen_random_uuid()::text), 1, 12) END,
  clock_timestamp(), cluster_identifier();

-- migrate:down
DROP TABLE feed_epochs;
DROP FUNCTION cluster_identifier();
