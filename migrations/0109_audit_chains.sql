-- The audit log is append-only, and each entry's hash covers the one before it, whoever writes it: the previous release,
-- too. `ops verify` follows the chains.

-- migrate:up
CREATE TABLE audit_heads (
  merchant_id text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL, -- of the latest entry
  hash bytea NOT NULL
);
CREATE FUNCTION audit_hash(previous bytea, entry operator_actions) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(previous || convert_to(jsonb_build_array(entry.merchant_id, entry.number,
    extract(epoch FROM entry.at), entry.kind, entry.actor, entry.command, entry.details, entry.address)::text, 'UTF8'))
$$;
-- The head is locked in one statement, and what it holds is of the row that was locked.
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  head audit_heads;
BEGIN
  INSERT INTO audit_heads (merchant_id, number, hash) VALUES (NEW.merchant_id, 0, '') ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT head FROM audit_heads WHERE merchant_id = NEW.merchant_id FOR UPDATE;
  NEW.number := head.number + 1;
  NEW.hash := audit_hash(head.hash, NEW);
  UPDATE audit_heads SET number = NEW.number, hash = NEW.hash WHERE merchant_id = NEW.merchant_id;
  RETURN NEW;
END $$;
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
CREATE TRIGGER chained BEFORE INSERT ON operator_actions FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- migrate:down
DROP TRIGGER append_only ON operator_actions;
DROP TRIGGER chained ON operator_actions;
DROP FUNCTION refuse_audit_change, chain_audit_entry, audit_hash;
DROP TABLE audit_heads;
