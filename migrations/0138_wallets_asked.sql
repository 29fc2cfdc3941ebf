-- Whose wallet was asked at the desk to pay a refund, and when: no second one is asked before somebody has looked.

-- migrate:up
ALTER TABLE refunds ADD COLUMN wallet_asked_at timestamptz(3); -- null: none, or its transaction is named since
ALTER TABLE refunds ADD COLUMN wallet_asked_by text COLLATE "C"; -- a person

-- migrate:down
ALTER TABLE refunds DROP COLUMN wallet_asked_at, DROP COLUMN wallet_asked_by;
