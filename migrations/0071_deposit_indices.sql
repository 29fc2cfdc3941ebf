-- The wallet of a live payment, and its index there. Null: a test payment, or one of the previous release. No
-- foreign key: wallets are never deleted, and a lock on the wallet's row for each payment would be a queue.

-- migrate:up
ALTER TABLE payments
  ADD COLUMN wallet_id text COLLATE "C",
  ADD COLUMN deposit_index integer;

-- migrate:down
ALTER TABLE payments DROP COLUMN wallet_id, DROP COLUMN deposit_index;
