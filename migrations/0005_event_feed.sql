-- The order of the event feed: txid, the transaction that wrote an event (or a later one, see
-- src/domain/outbox/outbox.ts), and within it place. Existing events were all written before the first
-- reader, so they share one txid; their places keep each payment's order, even when the clocks of two
-- processes differed.

-- migrate:up
ALTER TABLE events
  ADD COLUMN txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ADD COLUMN place bigint;
UPDATE events SET place = ordered.place FROM (
  SELECT id, row_number() OVER (ORDER BY told_at, sequence, id) AS place FROM (
    SELECT id, sequence, max(created_at) OVER (PARTITION BY payment_id ORDER BY sequence) AS told_at
    FROM events) told
) ordered WHERE ordered.id = events.id;
ALTER TABLE events
  ALTER COLUMN place SET NOT NULL,
  ALTER COLUMN place ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(
  pg_get_serial_sequence('events', 'place'), (SELECT coalesce(max(place), 0) + 1 FROM events), false);
CREATE INDEX events_feed ON events (merchant_id, txid, place);

-- Which transactions had begun at which real time. This dates an event: its own times may be those of a test
-- clock.
CREATE TABLE event_marks (
  at timestamptz(3) PRIMARY KEY,
  txid xid8 NOT NULL
);

-- migrate:down
DROP TABLE event_marks;
ALTER TABLE events DROP COLUMN txid, DROP COLUMN place;
