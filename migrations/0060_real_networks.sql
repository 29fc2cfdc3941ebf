-- What a real network needs beside the simulated one: its transfers are marked and keep their block's hash and
-- why they were dropped; its cursor keeps the block of its head, the final height, how far it is scanned, and
-- since when and why it is halted. The previous release writes none of these: it syncs simulated chains alone.

-- migrate:up transaction:false
ALTER TABLE chain_cursors
  ADD COLUMN IF NOT EXISTS head_hash text,
  ADD COLUMN IF NOT EXISTS head_at timestamptz(3), -- the time of the head
  ADD COLUMN IF NOT EXISTS final_height bigint, -- as the last page named it; null: an earlier release's
  ADD COLUMN IF NOT EXISTS scanned_until timestamptz(3), -- everything before it is read
  ADD COLUMN IF NOT EXISTS halted_at timestamptz(3), -- nothing is read until an operator resumes it
  ADD COLUMN IF NOT EXISTS halted_because text;
ALTER TABLE transfers
  ADD COLUMN IF NOT EXISTS is_live boolean NOT NULL DEFAULT false, -- on the real network
  ADD COLUMN IF NOT EXISTS block_hash text,
  ADD COLUMN IF NOT EXISTS drop_reason text;
ALTER TABLE unapplied_transfers ADD COLUMN IF NOT EXISTS is_live boolean NOT NULL DEFAULT false;
DROP INDEX CONCURRENTLY IF EXISTS transfers_live;
CREATE INDEX CONCURRENTLY transfers_live ON transfers (network, block_height)
  WHERE is_live AND dropped_at IS NULL;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS transfers_live;
ALTER TABLE unapplied_transfers DROP COLUMN IF EXISTS is_live;
ALTER TABLE transfers DROP COLUMN IF EXISTS is_live, DROP COLUMN IF EXISTS block_hash,
  DROP COLUMN IF EXISTS drop_reason;
ALTER TABLE chain_cursors DROP COLUMN IF EXISTS head_hash, DROP COLUMN IF EXISTS head_at,
  DROP COLUMN IF EXISTS final_height, DROP COLUMN IF EXISTS scanned_until, DROP COLUMN IF EXISTS halted_at,
  DROP COLUMN IF EXISTS halted_because;
