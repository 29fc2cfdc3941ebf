-- Due jobs of a merchant that holds its share of the slots wait for the merchant's turn, outside of the index
-- of due jobs: the backlog of one merchant does not delay the others. A row waits while visible_at is infinity
-- and turn_since is set; whatever else writes visible_at ends the wait.

-- migrate:up
ALTER TABLE scheduled_jobs
  ADD COLUMN turn_of text COLLATE "C", -- the merchant
  ADD COLUMN turn_since timestamptz(3);
CREATE INDEX scheduled_jobs_waiting ON scheduled_jobs (job, turn_of, turn_since)
  WHERE visible_at = 'infinity' AND turn_since IS NOT NULL;

-- How many slots a merchant may hold relative to others.
ALTER TABLE merchants ADD COLUMN weight integer NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 100);

-- migrate:down
UPDATE scheduled_jobs SET visible_at = turn_since WHERE visible_at = 'infinity' AND turn_since IS NOT NULL;
DROP INDEX scheduled_jobs_waiting;
ALTER TABLE scheduled_jobs DROP COLUMN turn_of, DROP COLUMN turn_since;
ALTER TABLE merchants DROP COLUMN weight;
