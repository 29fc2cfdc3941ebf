-- What roles may do with payouts. The role that migrates may not create roles in a managed Postgres, and roles belong to
-- a cluster, not to a database: operators make them. Those of the usual names are granted here, all others by
-- `ops payouts grant`, which calls the same functions. They run with the rights of whoever calls them.

-- migrate:up
CREATE FUNCTION grant_payout_signer(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE ALL ON payout_intents, payouts, payout_accounts FROM %I', role_name);
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
  EXECUTE format('GRANT SELECT ON payout_intents TO %I', role_name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON payouts, payout_accounts TO %I', role_name);
END $$;
CREATE FUNCTION grant_payout_worker(role_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('REVOKE ALL ON payout_intents, payouts, payout_accounts FROM %I', role_name);
  EXECUTE format('GRANT INSERT ON payout_intents TO %I', role_name);
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
DROP FUNCTION grant_payout_worker;
DROP FUNCTION grant_payout_signer;
