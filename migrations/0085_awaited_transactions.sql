-- What the watcher knows of the transaction that a customer's wallet has sent for a live payment, until its
-- chain reports it or it is lost for good: then the page asks for the money again, and says why. Web writes a row
-- when the transaction is named; what the previous release is told meanwhile is not followed, and its page waits
-- until the deadline, as before.

-- migrate:up
CREATE TABLE awaited_transactions (
  payment_id text COLLATE "C" PRIMARY KEY REFERENCES payments ON DELETE CASCADE,
  network text NOT NULL,
  tx_hash text NOT NULL, -- unchecked: whoever has the page's link can name one
  sender text, -- who signed it; null: no provider has had it yet
  nonce bigint, -- its number among theirs, of which one transaction alone is mined
  looked_up_at timestamptz(3), -- null: not yet
  is_lost boolean NOT NULL DEFAULT false,
  CHECK ((sender IS NULL) = (nonce IS NULL))
);
CREATE INDEX awaited_transactions_due ON awaited_transactions (network, looked_up_at NULLS FIRST)
  WHERE NOT is_lost;

-- migrate:down
DROP TABLE awaited_transactions;
