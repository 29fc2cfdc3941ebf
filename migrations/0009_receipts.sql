-- Mails to customers: one per event that reports a settlement or a refund.

-- migrate:up
-- Inserted by the first process that tries to send the mail; the primary key makes the others wait. No
-- foreign keys, as in other log tables.
CREATE TABLE receipts (
  event_id text COLLATE "C" PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  claimed_until timestamptz(3), -- a process has the lease on the mail until then (real time)
  sent_at timestamptz(3),
  given_up_at timestamptz(3),
  last_error text, -- the mail server's reply, for operators
  CHECK (sent_at IS NULL OR given_up_at IS NULL)
);

-- migrate:down
DROP TABLE receipts;
