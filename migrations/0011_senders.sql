-- The address that a simulated transfer came from; null: the chain does not name one (several inputs), or the
-- transfer is older than this column.

-- migrate:up
ALTER TABLE sim_transfers ADD COLUMN sender text COLLATE "C";

-- migrate:down
ALTER TABLE sim_transfers DROP COLUMN sender;
