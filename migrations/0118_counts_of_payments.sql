-- What the desk's charts show, counted from the event feed by a job: nothing on the path of a payment writes it. Quarters of
-- an hour, because the days of every time zone begin with one. The position is how far a merchant's feed is counted.

-- migrate:up
ALTER TABLE merchants ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC'; -- IANA name
CREATE TABLE payment_counts (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  quarter timestamptz(0) NOT NULL, -- its begin
  coin text NOT NULL, -- pay_currency
  created integer NOT NULL, -- payments that were created in it
  created_settled integer NOT NULL, -- of these, those that have settled since
  settled integer NOT NULL, -- payments that settled in it
  volume numeric NOT NULL, -- what these cost, in the coin
  times integer[] NOT NULL, -- of these, how many took how long (src/domain/overview/counts/settle-times.ts)
  PRIMARY KEY (merchant_id, quarter, coin)
);
CREATE TABLE payment_count_positions (
  merchant_id text COLLATE "C" PRIMARY KEY REFERENCES merchants ON DELETE CASCADE,
  txid xid8 NOT NULL,
  place bigint NOT NULL
);

-- migrate:down
DROP TABLE payment_count_positions, payment_counts;
ALTER TABLE merchants DROP COLUMN time_zone;
