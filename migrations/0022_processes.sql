-- The processes that run, so that each can report what no process can know by itself: a queue that no worker
-- serves or finishes anything of, and a process with another SECRETS_KEY. A row is written by its process
-- every few seconds, which is also the probe that Postgres takes writes. Times are real ones.

-- migrate:up
CREATE TABLE processes (
  id text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('web', 'worker')),
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  beat_at timestamptz(3) NOT NULL,
  key_ids text[] NOT NULL, -- of SECRETS_KEY; the first encrypts
  queues jsonb NOT NULL DEFAULT '{}', -- of a worker: by queue, what runs there and when one last finished
  clock_offset_ms double precision -- measured; null: not yet
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);

-- Spills some 200 kB to a temporary file. An update of a small row finds room in its page when the disk is
-- full; this does not.
CREATE FUNCTION probe_disk() RETURNS bigint LANGUAGE sql SET work_mem = '64kB'
  AS 'SELECT count(*) FROM generate_series(1, 16384)';

-- migrate:down
DROP FUNCTION probe_disk();
DROP TABLE processes;
