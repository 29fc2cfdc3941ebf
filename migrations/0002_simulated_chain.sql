-- The simulated chain. Blocks are not stored: a head per network counts them. `change` is the place of a
-- transfer's latest change in the order in which pollers see the changes of its network; null: committed by
-- its sender, without a place yet.

-- migrate:up
CREATE TABLE sim_heads (
  network text COLLATE "C" PRIMARY KEY,
  height bigint NOT NULL,
  mined_at timestamptz(3) NOT NULL,
  changes bigint NOT NULL
);

-- The upper bound of amount also excludes NaN, which Postgres sorts above every number.
CREATE TABLE sim_transfers (
  tx_hash text COLLATE "C" PRIMARY KEY,
  network text COLLATE "C" NOT NULL,
  coin text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'),
  reference text COLLATE "C" UNIQUE,
  seen_at timestamptz(3) NOT NULL,
  block_height bigint,
  dropped_at timestamptz(3),
  replaced_by text COLLATE "C",
  change bigint,
  CHECK (dropped_at IS NULL OR block_height IS NULL)
);
CREATE UNIQUE INDEX sim_transfers_by_change ON sim_transfers (network, change);
CREATE INDEX sim_transfers_by_block ON sim_transfers (network, block_height) WHERE dropped_at IS NULL;

-- migrate:down
DROP TABLE sim_transfers, sim_heads;
