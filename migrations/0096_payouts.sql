-- What the signer is asked to pay, and what it has signed. Nobody believes these rows: limits are counted by the
-- signer's own journal, which lies beside its key, and an intent is what it was when it was approved. The previous
-- release writes none.

-- migrate:up
-- Workers insert them, operators decide on them, the signer reads them.
CREATE TABLE payout_intents (
  refund_id text COLLATE "C" PRIMARY KEY, -- one for each refund
  payment_id text COLLATE "C" NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  network text NOT NULL,
  coin text NOT NULL,
  amount text NOT NULL, -- decimal, in the coin
  address text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  approved_by text,
  approval text, -- their signature of all above, Ed25519 in base64
  approved_at timestamptz(3),
  held_by text,
  held_at timestamptz(3) -- an operator holds it; null: nobody does
);
CREATE INDEX payout_intents_by_age ON payout_intents (network, created_at);
-- The accounts that the signer pays from. Whoever signs has the lock of the row.
CREATE TABLE payout_accounts (
  network text NOT NULL,
  address text NOT NULL,
  next_nonce bigint NOT NULL,
  held_because text, -- nothing is signed until a person has looked; null: it is
  seen_at timestamptz(3), -- when the signer last looked at the network
  PRIMARY KEY (network, address)
);
-- What the signer makes of intents.
CREATE TABLE payouts (
  refund_id text COLLATE "C" PRIMARY KEY,
  network text NOT NULL,
  account text NOT NULL,
  state text NOT NULL, -- waiting, held, signed, paid
  because text,
  intent_hash text, -- what was signed
  nonce bigint,
  hashes text[] NOT NULL DEFAULT '{}', -- of all transactions of the nonce, the newest last
  raws text[] NOT NULL DEFAULT '{}', -- as they were signed, in hexadecimal
  signed_at timestamptz(3), -- the first of them
  sent_at timestamptz(3), -- the newest of them
  looked_at timestamptz(3) NOT NULL,
  tx_hash text COLLATE "C" -- the one that is final
);
CREATE INDEX payouts_open ON payouts (network, account) WHERE state <> 'paid';

-- migrate:down
DROP TABLE payouts;
DROP TABLE payout_accounts;
DROP TABLE payout_intents;
