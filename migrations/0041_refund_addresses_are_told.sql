-- When a customer gave an address for refunds, and the mail that tells them so: whoever has the link of a page can
-- give one. Times are those of the payment's clock, but for the lease. Addresses that are there already have no
-- time, and no mail. Built without locking writes; what an interrupted build left behind is dropped first.

-- migrate:up transaction:false
ALTER TABLE refund_addresses
  ADD COLUMN IF NOT EXISTS given_at timestamptz(3),
  ADD COLUMN IF NOT EXISTS attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS leased_until timestamptz(3), -- a process has the lease on the mail until then (real time)
  ADD COLUMN IF NOT EXISTS sent_at timestamptz(3),
  ADD COLUMN IF NOT EXISTS last_error text, -- why it was not sent, for operators
  ADD COLUMN IF NOT EXISTS given_up_at timestamptz(3);
DROP INDEX CONCURRENTLY IF EXISTS refund_addresses_untold;
CREATE INDEX CONCURRENTLY refund_addresses_untold ON refund_addresses (payment_id)
  WHERE given_at IS NOT NULL AND sent_at IS NULL AND given_up_at IS NULL;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS refund_addresses_untold;
DELETE FROM scheduled_jobs WHERE job = 'refund-address.tell';
ALTER TABLE refund_addresses
  DROP COLUMN IF EXISTS given_at, DROP COLUMN IF EXISTS attempts, DROP COLUMN IF EXISTS leased_until,
  DROP COLUMN IF EXISTS sent_at, DROP COLUMN IF EXISTS given_up_at, DROP COLUMN IF EXISTS last_error;
