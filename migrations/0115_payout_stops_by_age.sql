-- Refunds that were completed lately, which status looks at for those that were paid twice. Built without locking
-- writes; what an interrupted build left behind is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS payout_stops_by_age;
CREATE INDEX CONCURRENTLY payout_stops_by_age ON payout_stops (created_at);

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS payout_stops_by_age;
