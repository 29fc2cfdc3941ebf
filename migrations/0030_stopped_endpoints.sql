-- Status and metrics look for the endpoints that are stopped, among all that are not. Built without locking
-- writes; what an interrupted build left behind is dropped first. An update that leaves both columns as they
-- are is still a HOT update.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS webhook_endpoints_stopped;
CREATE INDEX CONCURRENTLY webhook_endpoints_stopped ON webhook_endpoints (id)
  WHERE disabled_at IS NOT NULL OR circuit_open_until IS NOT NULL;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS webhook_endpoints_stopped;
