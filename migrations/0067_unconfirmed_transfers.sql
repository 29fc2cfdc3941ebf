-- Transfers that are unconfirmed, those included that are not mined: whether a network has any decides how
-- often it is read while it is simulated. Takes the place of transfers_confirming, which left these out; what
-- the previous release asks is served by it, too. Built without locking writes; what an interrupted build
-- left behind is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS transfers_unconfirmed;
CREATE INDEX CONCURRENTLY transfers_unconfirmed ON transfers (network, block_height)
  WHERE confirmed_at IS NULL AND dropped_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS transfers_confirming;

-- migrate:down
CREATE INDEX transfers_confirming ON transfers (network, block_height)
  WHERE confirmed_at IS NULL AND dropped_at IS NULL AND block_height IS NOT NULL;
DROP INDEX transfers_unconfirmed;
