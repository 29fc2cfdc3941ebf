-- What each process finds wrong stands in its row, so that a command can say it without minutes of watching.
-- Metrics look for the money that waits for a person, among all that does not; these indexes are built without
-- locking writes, and what an interrupted build left behind is dropped first.

-- migrate:up transaction:false
ALTER TABLE processes ADD COLUMN IF NOT EXISTS faults jsonb NOT NULL DEFAULT '[]';
DROP INDEX CONCURRENTLY IF EXISTS refunds_without_address;
CREATE INDEX CONCURRENTLY refunds_without_address ON refunds (created_at) WHERE status = 'NEEDS_ADDRESS';
DROP INDEX CONCURRENTLY IF EXISTS conversions_refused;
CREATE INDEX CONCURRENTLY conversions_refused ON conversions (finished_at) WHERE status = 'REFUSED';

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS conversions_refused;
DROP INDEX CONCURRENTLY IF EXISTS refunds_without_address;
ALTER TABLE processes DROP COLUMN IF EXISTS faults;
