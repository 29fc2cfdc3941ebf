-- What a flush looks for: transfers whose money is, as far as is known, still where it was sent. An index without those
-- that have left grows with what waits, not with what ever came. The previous release writes neither: to it no money
-- has left, and a flush of this release finds out again.

-- migrate:up transaction:false
ALTER TABLE transfers
  -- A flush has found nothing of it any more.
  ADD COLUMN IF NOT EXISTS has_left boolean NOT NULL DEFAULT false;
DROP INDEX CONCURRENTLY IF EXISTS transfers_held;
CREATE INDEX CONCURRENTLY transfers_held ON transfers (network, block_height)
  WHERE is_live AND dropped_at IS NULL AND NOT has_left;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS transfers_held;
ALTER TABLE transfers DROP COLUMN IF EXISTS has_left;
