-- What merchants asked to be sent again, for `payment-checkout listen` and other readers of the feed: a
-- redelivery is no event, so the feed does not show it.

-- migrate:up
-- In the order of (txid, number), up to the oldest open transaction: see the feed. No foreign keys, as in other
-- log tables. A row is deleted after a day.
CREATE TABLE redelivery_requests (
  txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  number bigint GENERATED ALWAYS AS IDENTITY,
  merchant_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  PRIMARY KEY (merchant_id, txid, number)
);
CREATE INDEX redelivery_requests_old ON redelivery_requests (requested_at);

-- migrate:down
DROP TABLE redelivery_requests;
