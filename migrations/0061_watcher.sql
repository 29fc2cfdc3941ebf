-- The watcher reads real networks. Its processes are rows beside web and worker; with the cursor of a network
-- stand its safe height and how its providers do. What makes a transfer final is decided by its amount, when it
-- is first seen, and said by its payment: `safe`, `finalized`, or so many blocks; null: as its network does.

-- migrate:up
ALTER TABLE chain_cursors
  ADD COLUMN safe_height bigint,
  ADD COLUMN providers jsonb NOT NULL DEFAULT '[]';
ALTER TABLE transfers ADD COLUMN finality text;
ALTER TABLE payments ADD COLUMN finality text;
-- The code knows the kinds of processes; these rows live for an hour.
ALTER TABLE processes DROP CONSTRAINT processes_kind_check;

-- migrate:down
DELETE FROM processes WHERE kind = 'watcher';
ALTER TABLE processes DROP CONSTRAINT processes_kind_check,
  ADD CONSTRAINT processes_kind_check CHECK (kind IN ('web', 'worker'));
ALTER TABLE payments DROP COLUMN finality;
ALTER TABLE transfers DROP COLUMN finality;
ALTER TABLE chain_cursors DROP COLUMN safe_height, DROP COLUMN providers;
