-- The watcher asks for each block which of its addresses a refund waits to be paid to, and now and then for those
-- whose transaction is to be looked at. Built without locking writes; what an interrupted build left behind is
-- dropped first.

-- migrate:up transaction:false
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_status_check;
DROP INDEX CONCURRENTLY IF EXISTS refunds_awaited;
CREATE INDEX CONCURRENTLY refunds_awaited ON refunds (network, lower(address))
  WHERE status IN ('AWAITING_SIGNATURE', 'SENT', 'HELD');
DROP INDEX CONCURRENTLY IF EXISTS refunds_sent;
CREATE INDEX CONCURRENTLY refunds_sent ON refunds (network, checked_at NULLS FIRST, place) WHERE status = 'SENT';

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS refunds_sent;
DROP INDEX CONCURRENTLY IF EXISTS refunds_awaited;
