-- When a real network was last read up to its head, whether or not it had a new block: where blocks come at random
-- the age of the last one does not tell whether anybody reads. The previous release writes none.

-- migrate:up
ALTER TABLE chain_cursors ADD COLUMN read_at timestamptz(3);

-- migrate:down
ALTER TABLE chain_cursors DROP COLUMN read_at;
