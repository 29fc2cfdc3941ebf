-- An unmined transfer holds rate and deadline of its payment for a while only. The previous release writes
-- neither column: its transfers are held from the time at which they were seen.

-- migrate:up
ALTER TABLE transfers
  ADD COLUMN pooled_at timestamptz(3), -- when a reorganisation put it back into the pool; null: none did
  ADD COLUMN lapsed_at timestamptz(3); -- since when it holds nothing, and has no credit; null: it counts

-- migrate:down
ALTER TABLE transfers DROP COLUMN pooled_at, DROP COLUMN lapsed_at;
