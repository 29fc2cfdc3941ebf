-- Where live money goes straight to a merchant's wallet, it settles as it came. A payment says how it settles,
-- and what had settled when it did; a merchant says what else than their settlement coin they accept.
-- The previous release settles simulated payments alone.

-- migrate:up
ALTER TABLE payments
  ADD COLUMN settlement_mode text NOT NULL DEFAULT 'simulated',
  ADD COLUMN settlement_coin text, -- null: several coins, or the settlement coin of a mode that converts
  ADD COLUMN settlement_network text, -- likewise
  ADD COLUMN settlement_amount text; -- null until settled, or several coins, or settled by an earlier release
ALTER TABLE merchants ADD COLUMN accepted_methods jsonb NOT NULL DEFAULT '[]'; -- of {"coin", "network"}

-- migrate:down
ALTER TABLE merchants DROP COLUMN accepted_methods;
ALTER TABLE payments
  DROP COLUMN settlement_mode, DROP COLUMN settlement_coin, DROP COLUMN settlement_network,
  DROP COLUMN settlement_amount;
