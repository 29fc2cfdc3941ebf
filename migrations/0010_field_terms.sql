-- Tables and columns take the terms of docs/glossary.md. Only names change: no row is rewritten, and each
-- rename changes the catalogue alone.

-- migrate:up
ALTER TABLE due_work RENAME TO scheduled_jobs;
ALTER TABLE scheduled_jobs RENAME COLUMN world TO test_clock;
ALTER INDEX due_work_pkey RENAME TO scheduled_jobs_pkey;
ALTER INDEX due_work_by_job RENAME TO scheduled_jobs_due;
ALTER INDEX due_work_of_world RENAME TO scheduled_jobs_of_test_clock;
ALTER SEQUENCE due_work_place_seq RENAME TO scheduled_jobs_place_seq;

ALTER TABLE payments RENAME COLUMN world TO test_clock;
ALTER TABLE payments RENAME COLUMN clock_held_until TO clock_frozen_until;
ALTER TABLE payments RENAME COLUMN covered TO fully_funded;

ALTER TABLE webhook_endpoints RENAME COLUMN held_by TO leased_by;
ALTER TABLE webhook_endpoints RENAME COLUMN held_until TO leased_until;
ALTER TABLE webhook_endpoints RENAME COLUMN pace TO concurrency_limit;
ALTER TABLE webhook_endpoints RENAME COLUMN open_until TO circuit_open_until;
ALTER TABLE webhook_endpoints RENAME COLUMN switched_off_at TO disabled_at;
ALTER TABLE webhook_endpoints RENAME COLUMN switched_off_because TO disabled_reason;

ALTER TABLE receipts RENAME COLUMN claimed_until TO leased_until;

-- migrate:down
ALTER TABLE receipts RENAME COLUMN leased_until TO claimed_until;

ALTER TABLE webhook_endpoints RENAME COLUMN disabled_reason TO switched_off_because;
ALTER TABLE webhook_endpoints RENAME COLUMN disabled_at TO switched_off_at;
ALTER TABLE webhook_endpoints RENAME COLUMN circuit_open_until TO open_until;
ALTER TABLE webhook_endpoints RENAME COLUMN concurrency_limit TO pace;
ALTER TABLE webhook_endpoints RENAME COLUMN leased_until TO held_until;
ALTER TABLE webhook_endpoints RENAME COLUMN leased_by TO held_by;

ALTER TABLE payments RENAME COLUMN fully_funded TO covered;
ALTER TABLE payments RENAME COLUMN clock_frozen_until TO clock_held_until;
ALTER TABLE payments RENAME COLUMN test_clock TO world;

ALTER SEQUENCE scheduled_jobs_place_seq RENAME TO due_work_place_seq;
ALTER INDEX scheduled_jobs_of_test_clock RENAME TO due_work_of_world;
ALTER INDEX scheduled_jobs_due RENAME TO due_work_by_job;
ALTER INDEX scheduled_jobs_pkey RENAME TO due_work_pkey;
ALTER TABLE scheduled_jobs RENAME COLUMN test_clock TO world;
ALTER TABLE scheduled_jobs RENAME TO due_work;
