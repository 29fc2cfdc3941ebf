-- Mails to customers: one per event that tells of money settled or sent back.

-- migrate:up
-- Written by whoever tries to send the mail first; the key makes all who try stand in line. No foreign keys,
-- as with other logs.
CREATE TABLE receipts (
  event_id text COLLATE "C" PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  claimed_until timestamptz(3), -- somebody is sending it, and nobody else may, until then (real time)
  sent_at timestamptz(3),
  given_up_at timestamptz(3),
  last_error text, -- what the mail server said, for operators
  CHECK (sent_at IS NULL OR given_up_at IS NULL)
);

-- migrate:down
DROP TABLE receipts;
