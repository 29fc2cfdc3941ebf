-- Whose a job is, for those of which one merchant may have very many due at once: when more is due than workers
-- take, each merchant gets a share. Built without locking writes; what an interrupted build left behind is
-- dropped first. Jobs that are there already have no merchant, and go by their time alone.

-- migrate:up transaction:false
ALTER TABLE scheduled_jobs ADD COLUMN IF NOT EXISTS merchant_id text COLLATE "C";
DROP INDEX CONCURRENTLY IF EXISTS scheduled_jobs_of_merchant;
CREATE INDEX CONCURRENTLY scheduled_jobs_of_merchant ON scheduled_jobs (job, merchant_id, visible_at)
  WHERE merchant_id IS NOT NULL;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS scheduled_jobs_of_merchant;
ALTER TABLE scheduled_jobs DROP COLUMN IF EXISTS merchant_id;
