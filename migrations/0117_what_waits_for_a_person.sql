-- The same of quarantined transfers, and the indexes by which what waits for a person of a merchant is counted: each holds
-- only what waits. Built without locking writes; what an interrupted build left behind is dropped first.

-- migrate:up transaction:false
ALTER TABLE unapplied_transfers ADD COLUMN IF NOT EXISTS merchant_id text COLLATE "C"; -- its payment's
CREATE OR REPLACE TRIGGER merchant_of_payment BEFORE INSERT ON unapplied_transfers
  FOR EACH ROW EXECUTE FUNCTION merchant_of_payment();
UPDATE unapplied_transfers u SET merchant_id = p.merchant_id FROM payments p
  WHERE p.id = u.payment_id AND u.merchant_id IS NULL;
UPDATE refunds r SET merchant_id = p.merchant_id FROM payments p
  WHERE p.id = r.payment_id AND r.merchant_id IS NULL AND r.status <> 'COMPLETED';
DROP INDEX CONCURRENTLY IF EXISTS unapplied_transfers_of_merchant;
CREATE INDEX CONCURRENTLY unapplied_transfers_of_merchant ON unapplied_transfers (merchant_id);
DROP INDEX CONCURRENTLY IF EXISTS refunds_waiting;
CREATE INDEX CONCURRENTLY refunds_waiting ON refunds (status, merchant_id, created_at)
  WHERE status IN ('NEEDS_ADDRESS', 'AWAITING_SIGNATURE', 'HELD');
DROP INDEX CONCURRENTLY IF EXISTS payments_with_money_left;
CREATE INDEX CONCURRENTLY payments_with_money_left ON payments (merchant_id, created_at)
  WHERE status IN ('EXPIRED', 'FAILED', 'REFUNDED') AND amount_received > amount_refunded;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS payments_with_money_left;
DROP INDEX CONCURRENTLY IF EXISTS refunds_waiting;
DROP INDEX CONCURRENTLY IF EXISTS unapplied_transfers_of_merchant;
DROP TRIGGER IF EXISTS merchant_of_payment ON unapplied_transfers;
ALTER TABLE unapplied_transfers DROP COLUMN IF EXISTS merchant_id;
