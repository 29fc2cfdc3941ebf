-- Merchants of whom payments are copied to another cell before their writes stop (src/domain/ops/move/early), in the database that
-- they leave. What is written of a payment meanwhile is noted by triggers, which exist for as long as the move does. A note is a
-- row of its own: writers never wait for each other's. Without foreign keys: a payment that is deleted is noted, too.

-- migrate:up
CREATE TABLE merchant_copies (
  merchant_id text COLLATE "C" PRIMARY KEY,
  lasts_until timestamptz NOT NULL -- a command that was killed lets no notes be written for long
);
CREATE TABLE copied_payments (
  merchant_id text COLLATE "C" NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  horizon xid8 NOT NULL, -- what older transactions have written is in the copy
  PRIMARY KEY (merchant_id, payment_id)
);
CREATE TABLE touched_payments (
  merchant_id text COLLATE "C" NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  txid xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX touched_payments_of_merchant ON touched_payments (merchant_id, payment_id, txid);
-- The arguments: the merchant, and the payments of a row `t` as SQL; empty: its payment_id.
CREATE FUNCTION note_touched() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  touched record;
BEGIN
  IF TG_OP = 'DELETE' THEN
    touched := OLD;
  ELSE
    touched := NEW;
  END IF;
  IF NOT EXISTS (SELECT FROM merchant_copies WHERE merchant_id = TG_ARGV[0] AND lasts_until > clock_timestamp()) THEN
    RETURN touched;
  END IF;
  IF TG_ARGV[1] = '' THEN
    INSERT INTO touched_payments (merchant_id, payment_id)
      SELECT merchant_id, id FROM payments WHERE id = touched.payment_id AND merchant_id = TG_ARGV[0];
  ELSE
    EXECUTE format('INSERT INTO touched_payments (merchant_id, payment_id)
      SELECT p.merchant_id, p.id FROM (SELECT ($1).*) t, payments p WHERE p.id IN (%s) AND p.merchant_id = $2', TG_ARGV[1])
      USING touched, TG_ARGV[0];
  END IF;
  RETURN touched;
END $$;

-- migrate:down
DROP FUNCTION note_touched() CASCADE;
DROP TABLE touched_payments, copied_payments, merchant_copies;
