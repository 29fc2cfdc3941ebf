-- The payments of scenarios, so that what a crash leaves of one, and a scenario that ended long ago, can be
-- found and deleted. Times are real ones.

-- migrate:up
CREATE TABLE scenario_runs (
  payment_id text COLLATE "C" PRIMARY KEY REFERENCES payments ON DELETE CASCADE,
  ended_at timestamptz(3), -- null: it runs, or its process has died
  discard_at timestamptz(3) -- its clock is frozen, and by then no worker runs a job of it
);
CREATE INDEX scenario_runs_kept ON scenario_runs (ended_at) WHERE discard_at IS NULL;
CREATE INDEX scenario_runs_discarded ON scenario_runs (discard_at) WHERE discard_at IS NOT NULL;

-- migrate:down
DROP TABLE scenario_runs;
