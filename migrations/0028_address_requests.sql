-- Mails that ask customers where money goes back to, which came too late or was too little: one per payment and
-- reason. A table of their own: the previous release, which runs beside this one for a while, would send what
-- it finds in `receipts` as a receipt.

-- migrate:up
-- No foreign keys, as in other log tables. Times are those of the payment's clock, but for the lease.
CREATE TABLE address_requests (
  event_id text COLLATE "C" PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL,
  reason text NOT NULL CHECK (reason IN ('too_little', 'too_late')),
  attempts integer NOT NULL DEFAULT 0, -- 0 from the event's dispatch until the first attempt
  leased_until timestamptz(3), -- a process has the lease on the mail until then (real time)
  sent_at timestamptz(3),
  given_up_at timestamptz(3), -- refused by the mail server, or nothing was left to ask for
  last_error text, -- why, for operators
  CHECK (sent_at IS NULL OR given_up_at IS NULL)
);
-- What was given up does not count: the next event may ask.
CREATE UNIQUE INDEX address_requests_once ON address_requests (payment_id, reason) WHERE given_up_at IS NULL;
CREATE INDEX address_requests_unfinished ON address_requests (event_id)
  WHERE sent_at IS NULL AND given_up_at IS NULL;

-- migrate:down
DELETE FROM scheduled_jobs WHERE job = 'address-request.send';
DROP TABLE address_requests;
