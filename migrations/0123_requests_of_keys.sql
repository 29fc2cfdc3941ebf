-- What keys asked for in the last 7 days, counted by the hour, with their latest errors; and two first steps of a merchant
-- that nothing else remembers.

-- migrate:up
CREATE TABLE key_request_counts (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  key_prefix text COLLATE "C" NOT NULL, -- as much of the key as may be shown
  hour timestamptz(3) NOT NULL, -- when it begins
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('served', 'refused', 'limited', 'failed')),
  count bigint NOT NULL,
  PRIMARY KEY (merchant_id, key_prefix, hour, outcome)
);
CREATE INDEX key_request_counts_by_age ON key_request_counts (hour);
CREATE TABLE key_request_errors (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  key_prefix text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  method text NOT NULL,
  route text NOT NULL, -- with the names of its parameters, not their values
  status smallint NOT NULL,
  reason text, -- the rule that the request broke
  request_id text NOT NULL
);
CREATE INDEX key_request_errors_of_key ON key_request_errors (merchant_id, key_prefix, id);
CREATE INDEX key_request_errors_by_age ON key_request_errors (at);
ALTER TABLE merchants ADD COLUMN story_run_at timestamptz(3); -- null: no story was run yet
ALTER TABLE merchants ADD COLUMN forgeries_refused_at timestamptz(3); -- a receiver check saw it first; null: none did

-- migrate:down
ALTER TABLE merchants DROP COLUMN story_run_at, DROP COLUMN forgeries_refused_at;
DROP TABLE key_request_errors, key_request_counts;
