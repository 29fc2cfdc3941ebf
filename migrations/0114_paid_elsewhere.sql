-- What keeps a refund from being paid twice. The previous release writes neither, and reads none.

-- migrate:up
-- What the PSBT of a withdrawn refund spends. It may have been signed, and be mined after all: what is refunded in its
-- place spends a coin of it, so that one of the two at most is mined.
CREATE TABLE withdrawn_coins (
  tx_hash text COLLATE "C" NOT NULL,
  output_index integer NOT NULL,
  payment_id text COLLATE "C" NOT NULL REFERENCES payments ON DELETE CASCADE,
  deposit_index integer NOT NULL, -- m/84'/coin'/account'/0/i
  withdrawn_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tx_hash, output_index)
);
CREATE INDEX withdrawn_coins_by_payment ON withdrawn_coins (payment_id);
-- What completed a refund that was offered to the signer: another transaction than its own, and the signer cancels what
-- it has signed. Null: the previous release does not say.
ALTER TABLE payout_stops ADD COLUMN tx_hash text COLLATE "C";

-- migrate:down
ALTER TABLE payout_stops DROP COLUMN tx_hash;
DROP TABLE withdrawn_coins;
