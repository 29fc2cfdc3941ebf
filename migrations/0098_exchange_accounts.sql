-- Accounts of merchants at an exchange, where live payments of theirs take money, and its deposit addresses there. The
-- previous release opens no payment at one.

-- migrate:up
CREATE TABLE exchange_accounts (
  merchant_id text COLLATE "C" PRIMARY KEY REFERENCES merchants ON DELETE CASCADE,
  exchange text NOT NULL,
  key_id text NOT NULL, -- of the key of SECRETS_KEY that encrypts the credentials
  ciphertext bytea NOT NULL,
  slippage_percent numeric NOT NULL, -- below the reference rate, at most, a coin is sold
  nonce bigint NOT NULL DEFAULT 0, -- the last that was given to a request: they only rise
  created_at timestamptz(3) NOT NULL,
  retired_at timestamptz(3) -- no new payment takes money there; what came is still sold
);
CREATE TABLE exchange_addresses (
  network text NOT NULL,
  address text NOT NULL,
  merchant_id text COLLATE "C" NOT NULL REFERENCES exchange_accounts ON DELETE CASCADE,
  coins text[] NOT NULL, -- what the exchange credits there
  mac bytea NOT NULL,
  key_id text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  given_at timestamptz(3), -- when a payment got it last; null: none has
  retired_at timestamptz(3), -- the exchange lists it no more
  PRIMARY KEY (network, address)
);
CREATE INDEX exchange_addresses_of_merchant ON exchange_addresses (merchant_id, network);
ALTER TABLE payments
  ADD COLUMN exchange text, -- where its deposit addresses are; null: not at an exchange
  ADD COLUMN settlement_problem text; -- why its money is not sold yet; null: nothing waits for a person

-- migrate:down
ALTER TABLE payments DROP COLUMN exchange, DROP COLUMN settlement_problem;
DROP TABLE exchange_addresses;
DROP TABLE exchange_accounts;
