-- A job that keeps failing is parked until an operator releases it, and a receipt that is to be sent is a row
-- before it is a job.

-- migrate:up
-- A parked job's visible_at is infinity, so no relay finds it; whatever else writes visible_at ends that.
ALTER TABLE scheduled_jobs ADD COLUMN parked_at timestamptz(3);
CREATE INDEX scheduled_jobs_failing ON scheduled_jobs (failures, job, key) WHERE failures > 0;

-- attempts is 0 from the event's dispatch until the first attempt.
ALTER TABLE receipts ALTER COLUMN attempts SET DEFAULT 0;
CREATE INDEX receipts_unfinished ON receipts (event_id) WHERE sent_at IS NULL AND given_up_at IS NULL;

-- migrate:down
DROP INDEX receipts_unfinished;
ALTER TABLE receipts ALTER COLUMN attempts DROP DEFAULT;
UPDATE scheduled_jobs SET visible_at = now(), failures = 0 WHERE parked_at IS NOT NULL AND visible_at = 'infinity';
DROP INDEX scheduled_jobs_failing;
ALTER TABLE scheduled_jobs DROP COLUMN parked_at;
