-- An endpoint knows since when its health counts, and which requests were sent and have no outcome yet.

-- migrate:up
-- reset_at: when its URL was set or it was enabled; earlier attempts say nothing about it any more.
-- in_flight: by delivery id, the number and the start of each attempt whose outcome is not recorded. What a
-- worker that died left here is logged as interrupted by the next run.
ALTER TABLE webhook_endpoints
  ADD COLUMN reset_at timestamptz(3),
  ADD COLUMN in_flight jsonb NOT NULL DEFAULT '{}';

-- migrate:down
ALTER TABLE webhook_endpoints DROP COLUMN reset_at, DROP COLUMN in_flight;
