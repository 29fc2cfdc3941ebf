-- Wallets of live merchants: the public data from which deposit addresses are derived, and how many indices were
-- given out. Whoever has the database alone can change none: a MAC covers what decides where money goes. A change
-- is a new row, and none is ever deleted: payments name theirs.

-- migrate:up
CREATE TABLE wallets (
  id text COLLATE "C" PRIMARY KEY,
  merchant_id text COLLATE "C" REFERENCES merchants, -- null: for merchants without one of their own
  family text NOT NULL, -- the networks on which an index has one address
  kind text NOT NULL,
  public_data text NOT NULL, -- by kind
  mac bytea NOT NULL,
  key_id text NOT NULL, -- of the key of SECRETS_KEY that made the MAC
  next_index integer NOT NULL DEFAULT 0 CHECK (next_index >= 0), -- BIP-32 has 2^31
  created_at timestamptz(3) NOT NULL,
  confirmed_at timestamptz(3), -- null: nobody has compared its first addresses yet
  retired_at timestamptz(3) CHECK (retired_at >= created_at)
) WITH (fillfactor = 50);
CREATE INDEX wallets_of_merchant ON wallets (merchant_id, id);
-- The one that new payments use.
CREATE UNIQUE INDEX wallet_in_use ON wallets (coalesce(merchant_id, ''), family)
  WHERE confirmed_at IS NOT NULL AND retired_at IS NULL;

-- Who could read a merchant's payments can read where their money goes.
UPDATE api_keys SET permissions = array_append(permissions, 'wallets:read')
WHERE 'payments:read' = ANY (permissions) AND NOT 'wallets:read' = ANY (permissions);

-- migrate:down
UPDATE api_keys SET permissions = array_remove(permissions, 'wallets:read');
DELETE FROM scheduled_jobs WHERE job = 'wallet.tell';
DROP TABLE wallets;
