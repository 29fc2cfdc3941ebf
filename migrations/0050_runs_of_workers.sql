-- Workers say every second that they live (worker_beats), and which of them leased a job (leased_by): what a
-- worker that was killed has leased is due again within seconds. Whether a worker may lead: while its clock is
-- wrong it takes no work. Jobs that the previous release lets wait for their merchant's turn are released by
-- the sweep (schedule/sweep.ts).

-- migrate:up
CREATE TABLE worker_beats (
  id text COLLATE "C" PRIMARY KEY,
  beats bigint NOT NULL,
  may_lead boolean NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE scheduled_jobs ADD COLUMN leased_by text COLLATE "C";

-- migrate:down
ALTER TABLE scheduled_jobs DROP COLUMN leased_by;
DROP TABLE worker_beats;
