-- When the payout of a refund was first asked for. It is written before the request leaves the service: from
-- then on the money may have been sent, so the refund is never withdrawn. Null for what an earlier release sends.

-- migrate:up
ALTER TABLE refunds ADD COLUMN asked_at timestamptz(3);

-- migrate:down
ALTER TABLE refunds DROP COLUMN asked_at;
