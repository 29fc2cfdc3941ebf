-- No two payments share an index of a wallet. Built without locking writes; what an interrupted build left behind
-- is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS payments_by_deposit;
CREATE UNIQUE INDEX CONCURRENTLY payments_by_deposit ON payments (wallet_id, deposit_index)
  WHERE wallet_id IS NOT NULL;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS payments_by_deposit;
