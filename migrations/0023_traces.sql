-- The trace that an event belongs to, while traces are on: jobs that run later, in another process, continue
-- it. Adding a nullable column changes no row.

-- migrate:up
ALTER TABLE events ADD COLUMN traceparent text;

-- migrate:down
ALTER TABLE events DROP COLUMN traceparent;
