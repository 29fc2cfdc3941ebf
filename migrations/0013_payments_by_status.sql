-- A page of one status reads this index from its newest payment on, however rare the status is. The cost: an
-- update that moves a payment is no longer a HOT update. Built without locking writes; what an interrupted
-- build left behind is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS payments_by_status;
CREATE INDEX CONCURRENTLY payments_by_status ON payments (merchant_id, status, created_at DESC, id DESC);

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS payments_by_status;
