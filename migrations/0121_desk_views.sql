-- The filters that a person keeps of a merchant's payments, by name. A new table only; what filled the search (0119) has run.

-- migrate:up
CREATE TABLE payment_views (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  filters text NOT NULL, -- the query of the list's page
  UNIQUE (merchant_id, person_id, name),
  FOREIGN KEY (merchant_id, person_id) REFERENCES memberships ON DELETE CASCADE
);
DROP PROCEDURE fill_payment_terms;

-- migrate:down
DROP TABLE payment_views;
