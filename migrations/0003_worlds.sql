-- An isolated test payment has its own test clock (`world`, the payment's id): its own chain, a clock ahead
-- of the system clock by an offset, and jobs whose run_at is in the test clock's time (visible_at stays real
-- time).

-- migrate:up
ALTER TABLE merchants ADD COLUMN mode text NOT NULL DEFAULT 'test' CHECK (mode IN ('test', 'live'));

ALTER TABLE payments
  ADD COLUMN world text COLLATE "C", -- null: the system clock and the shared chains
  ADD COLUMN clock_offset_ms bigint NOT NULL DEFAULT 0,
  ADD COLUMN clock_held_until timestamptz(3); -- a request advances the clock until then

-- The shared chain of a network, or that of a test clock: tron, or tron/WORLD.
ALTER TABLE sim_heads RENAME COLUMN network TO chain;
ALTER TABLE sim_transfers RENAME COLUMN network TO chain;
CREATE INDEX sim_transfers_by_address ON sim_transfers (address);
ALTER TABLE chain_cursors RENAME COLUMN network TO chain;

ALTER TABLE due_work
  ADD COLUMN world text COLLATE "C",
  ADD COLUMN place bigint GENERATED ALWAYS AS IDENTITY; -- orders jobs that are due at the same time
-- Orders what happened at the same time of a test clock: hashes and ids have no stable order.
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
