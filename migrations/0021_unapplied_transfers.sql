-- What the chain reports of a payment for which it cannot be applied is kept until it can be, so that the
-- other payments of its network go on.

-- migrate:up
-- One row for each page of a chain; a payment's rows are applied in the order of `place`. The transfers are
-- as the chain client reported them, the rates those of that moment: they decide the credit.
CREATE TABLE unapplied_transfers (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments ON DELETE CASCADE,
  place bigint GENERATED ALWAYS AS IDENTITY,
  network text NOT NULL,
  transfers json NOT NULL,
  rates json NOT NULL,
  height bigint, -- transfers at or below it had confirmed; null: there was another page to read
  set_aside_at timestamptz(3) NOT NULL,
  PRIMARY KEY (payment_id, place)
);

-- migrate:down
-- The chains' cursors are past these transfers: without the rows their money would be lost.
DO $$
BEGIN
  IF EXISTS (SELECT FROM unapplied_transfers) THEN
    RAISE EXCEPTION 'unapplied_transfers has rows: release their jobs (npm run ops -- stuck --release) first';
  END IF;
END $$;
DROP TABLE unapplied_transfers;
