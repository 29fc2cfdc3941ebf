-- What a merchant signs to pay a refund on Bitcoin (BIP-174): the watcher makes it, of final coins of their own
-- wallet. Of two that are open none spends the other's coins, or takes its change address. What a signed one has
-- used keeps its change index for good; of others it is free again. The previous release shows none.

-- migrate:up
CREATE TABLE refund_psbts (
  refund_id text COLLATE "C" PRIMARY KEY REFERENCES refunds ON DELETE CASCADE,
  wallet_id text COLLATE "C" NOT NULL,
  account text COLLATE "C", -- chain code and key of it, which other wallets may have as well; null: not read yet
  change_index integer, -- m/84'/coin'/account'/1/i; null: nothing was left of the coins
  address text, -- what it pays; null: there is none
  psbt bytea,
  problem jsonb, -- {"code", "message"}: why there is none, or why it cannot be sent any more
  made_at timestamptz(3),
  spent_height bigint, -- how high the chain was when a coin of it was found spent
  due_at timestamptz(3), -- when it is looked at again; null: the refund is completed
  UNIQUE (account, change_index)
);
CREATE INDEX refund_psbts_open ON refund_psbts (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE refund_coins (
  tx_hash text COLLATE "C" NOT NULL,
  output_index integer NOT NULL,
  refund_id text COLLATE "C" NOT NULL REFERENCES refund_psbts ON DELETE CASCADE,
  deposit_index integer NOT NULL, -- m/84'/coin'/account'/0/i
  PRIMARY KEY (tx_hash, output_index)
);
CREATE INDEX refund_coins_by_refund ON refund_coins (refund_id);

-- migrate:down
DROP TABLE refund_coins;
DROP TABLE refund_psbts;
