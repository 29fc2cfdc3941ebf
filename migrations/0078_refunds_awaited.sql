-- The watcher asks for each block which of its addresses a refund waits to be paid to. Built without locking
-- writes; what an interrupted build left behind is dropped first.

-- migrate:up transaction:false
ALTER TABLE refunds VALIDATE CONSTRAINT refunds_status_check;
DROP INDEX CONCURRENTLY IF EXISTS refunds_awaited;
CREATE INDEX CONCURRENTLY refunds_awaited ON refunds (network, lower(address))
  WHERE status IN ('AWAITING_SIGNATURE', 'SENT', 'HELD');

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS refunds_awaited;
