-- The transaction that a customer's wallet has sent for a payment, as the wallet named it to its page: until
-- a chain reports it, the page says that it was sent, and nobody pays twice. The previous release shows the
-- page as before.

-- migrate:up
CREATE TABLE announced_transactions (
  payment_id text COLLATE "C" PRIMARY KEY REFERENCES payments ON DELETE CASCADE,
  network text NOT NULL,
  tx_hash text NOT NULL, -- unchecked: whoever has the page's link can name one
  times integer NOT NULL DEFAULT 1 -- how many were named so far: their number is limited
);

-- migrate:down
DROP TABLE announced_transactions;
