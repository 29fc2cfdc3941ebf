-- The same of a refund that was asked for in a currency, at the rate of its own moment.

-- migrate:up
ALTER TABLE refunds ADD COLUMN price json;

-- migrate:down
ALTER TABLE refunds DROP COLUMN price;
