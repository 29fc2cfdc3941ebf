-- Refunds that are completed: the signer signs nothing for them any more. Whoever completes a refund that was offered
-- says so here, for the role of a worker may insert, and changes no intent; the signer reads no refunds. Roles of other
-- names than the usual ones get their part by `ops payouts grant` again.

-- migrate:up
CREATE TABLE payout_stops (
  refund_id text COLLATE "C" PRIMARY KEY,
  created_at timestamptz(3) NOT NULL
);
CREATE OR REPLACE FUNCTION grant_payout_signer(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE ALL ON payout_intents, payout_stops, payouts, payout_accounts FROM %I', role_name);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
  EXECUTE format('GRANT SELECT ON payout_intents, payout_stops TO %I', role_name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON payouts, payout_accounts TO %I', role_name);
END $$;
CREATE OR REPLACE FUNCTION grant_payout_worker(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE ALL ON payout_intents, payout_stops, payouts, payout_accounts FROM %I', role_name);
  EXECUTE format('GRANT INSERT ON payout_intents, payout_stops TO %I', role_name);
END $$;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'checkout_signer') THEN
    PERFORM grant_payout_signer('checkout_signer');
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'checkout_worker') THEN
    PERFORM grant_payout_worker('checkout_worker');
  END IF;
END $$;

-- migrate:down
DROP TABLE payout_stops;
CREATE OR REPLACE FUNCTION grant_payout_signer(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE ALL ON payout_intents, payouts, payout_accounts FROM %I', role_name);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
  EXECUTE format('GRANT SELECT ON payout_intents TO %I', role_name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON payouts, payout_accounts TO %I', role_name);
END $$;
CREATE OR REPLACE FUNCTION grant_payout_worker(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE ALL ON payout_intents, payouts, payout_accounts FROM %I', role_name);
  EXECUTE format('GRANT INSERT ON payout_intents TO %I', role_name);
END $$;
