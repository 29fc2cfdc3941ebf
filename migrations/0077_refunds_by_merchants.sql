-- Refunds of live payments are paid by the merchant, from a wallet of their own: they wait for a signature, name a
-- transaction once the merchant announced it or the watcher found it, and are completed by a final transfer. A
-- transfer completes one refund. The previous release sends none of these, and takes none of them for sent.

-- migrate:up
ALTER TABLE refunds
  ADD COLUMN accepted_head bigint, -- how far its real network was read when it was accepted; null: not at all
  ADD COLUMN accepted_head_at timestamptz(3), -- the time of that block
  ADD COLUMN named_at timestamptz(3), -- since when tx_hash is named, while the status is SENT or HELD
  ADD COLUMN is_announced boolean NOT NULL DEFAULT false, -- the merchant named it; else the watcher found it
  ADD COLUMN checked_at timestamptz(3), -- when its network was last asked for the announced transaction
  ADD COLUMN problem jsonb; -- {"code", "message", "tx_hash"}: why that transaction did not complete it
ALTER TABLE refunds DROP CONSTRAINT refunds_status_check,
  ADD CONSTRAINT refunds_status_check CHECK (status IN
    ('NEEDS_ADDRESS', 'PENDING', 'AWAITING_SIGNATURE', 'SENT', 'HELD', 'COMPLETED')) NOT VALID;

-- Transfers that fit a refund which waits for one: its coin, amount and address.
CREATE TABLE payout_transfers (
  network text NOT NULL,
  tx_hash text COLLATE "C" NOT NULL,
  coin text NOT NULL,
  -- With the collation of refunds, for their index. In lower case; once it is erased a hash of it.
  address text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  seen_at timestamptz(3) NOT NULL,
  block_height bigint, -- null: in the pool, or dropped
  dropped_at timestamptz(3),
  refund_id text COLLATE "C" UNIQUE REFERENCES refunds ON DELETE CASCADE, -- that it completed
  PRIMARY KEY (network, tx_hash, coin, address)
);
CREATE INDEX payout_transfers_open ON payout_transfers (network, block_height)
  WHERE refund_id IS NULL AND dropped_at IS NULL;

-- migrate:down
DROP TABLE payout_transfers;
UPDATE refunds SET status = 'PENDING', tx_hash = NULL WHERE status IN ('AWAITING_SIGNATURE', 'SENT', 'HELD');
ALTER TABLE refunds DROP CONSTRAINT refunds_status_check,
  ADD CONSTRAINT refunds_status_check CHECK (status IN ('NEEDS_ADDRESS', 'PENDING', 'COMPLETED'));
ALTER TABLE refunds
  DROP COLUMN accepted_head, DROP COLUMN accepted_head_at, DROP COLUMN named_at, DROP COLUMN is_announced,
  DROP COLUMN checked_at, DROP COLUMN problem;
