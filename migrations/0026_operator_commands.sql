-- What the operators' commands write: suspended merchants, the last use of keys, the drain of all workers, and
-- who changed what. Only columns that may be null and new tables: the previous release runs beside it.

-- migrate:up
-- Set: the merchant's keys get 403. Payments that exist go on.
ALTER TABLE merchants ADD COLUMN suspended_at timestamptz(3), ADD COLUMN suspended_reason text;
-- Within an hour; null: not since this column exists.
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz(3);

-- While its row exists, relays hand over no jobs.
CREATE TABLE worker_drain (
  is_on boolean PRIMARY KEY DEFAULT true CHECK (is_on),
  since timestamptz(3) NOT NULL,
  reason text
);

CREATE TABLE operator_actions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  actor text NOT NULL, -- user@host, as the command saw them
  command text NOT NULL,
  details jsonb NOT NULL -- no secrets
);

-- migrate:down
DROP TABLE operator_actions, worker_drain;
ALTER TABLE api_keys DROP COLUMN last_used_at;
ALTER TABLE merchants DROP COLUMN suspended_at, DROP COLUMN suspended_reason;
