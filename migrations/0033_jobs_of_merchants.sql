-- Whose a job is, for those of which one merchant may have very many due at once: when more is due than workers
-- take, each merchant gets a share. Built without locking writes; what an interrupted build left behind is
-- dropped first. Jobs that are there already have no merchant, and go by their time alone. Not merchant_id: a
-- statement of the previous version has that of another table beside this one.

-- migrate:up transaction:false
ALTER TABLE scheduled_jobs ADD COLUMN IF NOT EXISTS for_merchant text COLLATE "C";
DROP INDEX CONCURRENTLY IF EXISTS scheduled_jobs_of_merchant;
CREATE INDEX CONCURRENTLY scheduled_jobs_of_merchant ON scheduled_jobs (job, for_merchant, visible_at)
  WHERE for_merchant IS NOT NULL;

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS scheduled_jobs_of_merchant;
ALTER TABLE scheduled_jobs DROP COLUMN IF EXISTS for_merchant;
