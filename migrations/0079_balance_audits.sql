-- The balance audit of live payments: what their address held when they were created, up to where it was
-- audited, and when it is next. With the cursor of a network stands when its audit last went well, and why its
-- client waits. The previous release audits nothing, and waits for no audit.

-- migrate:up
CREATE TABLE balance_audits (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments ON DELETE CASCADE,
  network text NOT NULL,
  baseline numeric, -- of the native coin, before the payment; null: nobody could prove it
  audited_until timestamptz(3) NOT NULL, -- the time of the block of the last audit
  due_at timestamptz(3) NOT NULL, -- once the final block is that late; infinity: it is over
  unproven text, -- what the last audit found and could not prove
  PRIMARY KEY (payment_id, network)
);
CREATE INDEX balance_audits_due ON balance_audits (network, due_at);
CREATE INDEX balance_audits_unproven ON balance_audits (network) WHERE unproven IS NOT NULL;
ALTER TABLE chain_cursors
  ADD COLUMN audited_at timestamptz(3), -- null: nobody audits the network
  ADD COLUMN waits_because text; -- behind, forked, inconsistent; null: its last page was whole

-- migrate:down
ALTER TABLE chain_cursors DROP COLUMN audited_at, DROP COLUMN waits_because;
DROP TABLE balance_audits;
