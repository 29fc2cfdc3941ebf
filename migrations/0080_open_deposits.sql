-- Live payments that can still be paid, which the balance audit looks for. Built without locking writes; what an
-- interrupted build left behind is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS payments_open_deposits;
CREATE INDEX CONCURRENTLY payments_open_deposits ON payments (id)
  WHERE wallet_id IS NOT NULL AND status IN ('WAITING', 'PENDING');

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS payments_open_deposits;
