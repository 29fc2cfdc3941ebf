-- The desk counts the refunds of a merchant that wait for a person, so a refund says whose it is. A trigger, so that the
-- previous release's writers do so too.

-- migrate:up
ALTER TABLE refunds ADD COLUMN merchant_id text COLLATE "C"; -- its payment's; null: completed by an earlier release
CREATE FUNCTION merchant_of_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.merchant_id := (SELECT merchant_id FROM payments WHERE id = NEW.payment_id);
  RETURN NEW;
END $$;
CREATE TRIGGER merchant_of_payment BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION merchant_of_payment();

-- migrate:down
DROP TRIGGER merchant_of_payment ON refunds;
DROP FUNCTION merchant_of_payment;
ALTER TABLE refunds DROP COLUMN merchant_id;
