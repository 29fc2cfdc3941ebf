-- When a refund was offered to the signer: from then on it is paid, and neither withdrawn nor given another address.
-- The previous release offers none.

-- migrate:up
ALTER TABLE refunds ADD COLUMN offered_at timestamptz(3);

-- migrate:down
ALTER TABLE refunds DROP COLUMN offered_at;
