-- The values of payments' metadata, by which people find payments: whole and by how they begin. Triggers keep them, whoever
-- writes: the previous release, too. What is erased of a payment (ops erase) is erased here in the same statement.

-- migrate:up
CREATE TABLE payment_terms (
  merchant_id text COLLATE "C" NOT NULL,
  term text COLLATE "C" NOT NULL, -- with ASCII letters in lower case
  payment_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (merchant_id, term, payment_id)
);
CREATE FUNCTION terms_of_metadata(metadata json) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT lower(value COLLATE "C") FROM json_each_text(metadata) WHERE value <> ''
$$;
CREATE FUNCTION add_payment_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO payment_terms (merchant_id, term, payment_id)
    SELECT p.merchant_id, t.term, p.id FROM written p CROSS JOIN LATERAL terms_of_metadata(p.metadata) AS t (term)
    WHERE p.metadata::text <> '{}'
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE FUNCTION replace_payment_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM payment_terms WHERE merchant_id = OLD.merchant_id AND payment_id = OLD.id
    AND term IN (SELECT terms_of_metadata(OLD.metadata));
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO payment_terms (merchant_id, term, payment_id)
      SELECT NEW.merchant_id, t.term, NEW.id FROM terms_of_metadata(NEW.metadata) AS t (term)
      ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER terms_added AFTER INSERT ON payments REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION add_payment_terms();
CREATE TRIGGER terms_replaced AFTER UPDATE OF metadata ON payments
  FOR EACH ROW EXECUTE FUNCTION replace_payment_terms();
CREATE TRIGGER terms_deleted AFTER DELETE ON payments
  FOR EACH ROW EXECUTE FUNCTION replace_payment_terms();
-- Adds those of earlier payments, in chunks, each of them locked against an erasure while its terms are written (0120).
CREATE PROCEDURE fill_payment_terms() LANGUAGE plpgsql AS $$
DECLARE
  last text := '';
BEGIN
  LOOP
    WITH page AS (
      SELECT id, merchant_id, metadata FROM payments WHERE id > last AND metadata::text <> '{}'
      ORDER BY id LIMIT 1000 FOR SHARE
    ), added AS (
      INSERT INTO payment_terms (merchant_id, term, payment_id)
        SELECT p.merchant_id, t.term, p.id FROM page p CROSS JOIN LATERAL terms_of_metadata(p.metadata) AS t (term)
        ON CONFLICT DO NOTHING
    )
    SELECT max(id) INTO last FROM page;
    EXIT WHEN last IS NULL;
    COMMIT;
  END LOOP;
END $$;

-- migrate:down
DROP PROCEDURE IF EXISTS fill_payment_terms;
DROP TRIGGER terms_deleted ON payments;
DROP TRIGGER terms_replaced ON payments;
DROP TRIGGER terms_added ON payments;
DROP FUNCTION replace_payment_terms, add_payment_terms, terms_of_metadata;
DROP TABLE payment_terms;
