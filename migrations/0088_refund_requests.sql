-- The mail that asks a customer for the address that a refund waits for, stored with the refund. The previous
-- release accepts refunds without one: their pages ask all the same. The lease is in real time, the other times are
-- those of the payment's clock.

-- migrate:up
CREATE TABLE refund_requests (
  refund_id text COLLATE "C" PRIMARY KEY REFERENCES refunds ON DELETE CASCADE,
  attempts integer NOT NULL DEFAULT 0,
  leased_until timestamptz(3), -- a process has the lease on the mail until then (real time)
  sent_at timestamptz(3),
  given_up_at timestamptz(3), -- refused by the mail server, or nothing was left to ask for
  last_error text, -- why, for operators
  CHECK (sent_at IS NULL OR given_up_at IS NULL)
);
CREATE INDEX refund_requests_unfinished ON refund_requests (refund_id)
  WHERE sent_at IS NULL AND given_up_at IS NULL;

-- migrate:down
DELETE FROM scheduled_jobs WHERE job = 'refund-address.ask';
DROP TABLE refund_requests;
