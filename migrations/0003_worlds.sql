-- Test payments whose time is wound live in a world of their own: a chain, a clock that runs ahead of the
-- real one by an offset, and due work whose run_at is in that world's time (visible_at stays real).

-- migrate:up
ALTER TABLE merchants ADD COLUMN mode text NOT NULL DEFAULT 'test' CHECK (mode IN ('test', 'live'));

ALTER TABLE payments
  ADD COLUMN world text COLLATE "C", -- null: the world that everybody shares, in real time
  ADD COLUMN clock_offset_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN clock_held_until timestamptz(3); -- somebody winds the clock until then

-- a network, or a network of a world: tron, or tron/WORLD
ALTER TABLE sim_heads RENAME COLUMN network TO chain;
ALTER TABLE sim_transfers RENAME COLUMN network TO chain;
CREATE INDEX sim_transfers_by_address ON sim_transfers (address);
ALTER TABLE chain_cursors RENAME COLUMN network TO chain;

ALTER TABLE due_work
  ADD COLUMN world text COLLATE "C",
  ADD COLUMN place bigint GENERATED ALWAYS AS IDENTITY; -- what falls due at one instant is done in the order in which it was written
-- What happened at one instant of a world stays in the order in which it happened: hashes and ids have none
-- that lasts.
ALTER TABLE transfers ADD COLUMN place bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE refunds ADD COLUMN place bigint GENERATED ALWAYS AS IDENTITY;

CREATE INDEX due_work_of_world ON due_work (world, run_at, place) WHERE world IS NOT NULL;

-- migrate:down
ALTER TABLE due_work DROP COLUMN world, DROP COLUMN place;
ALTER TABLE transfers DROP COLUMN place;
ALTER TABLE refunds DROP COLUMN place;
ALTER TABLE chain_cursors RENAME COLUMN chain TO network;
DROP INDEX sim_transfers_by_address;
ALTER TABLE sim_transfers RENAME COLUMN chain TO network;
ALTER TABLE sim_heads RENAME COLUMN chain TO network;
ALTER TABLE payments DROP COLUMN world, DROP COLUMN clock_offset_ms, DROP COLUMN clock_held_until;
ALTER TABLE merchants DROP COLUMN mode;
