-- A mail to a customer who sent too little, while the payment is open. The previous release finds nothing to
-- ask for in one of these, and gives it up.

-- migrate:up
ALTER TABLE address_requests DROP CONSTRAINT address_requests_reason_check,
  ADD CONSTRAINT address_requests_reason_check
    CHECK (reason IN ('incomplete', 'too_little', 'too_late')) NOT VALID;

-- migrate:down
DELETE FROM address_requests WHERE reason = 'incomplete';
ALTER TABLE address_requests DROP CONSTRAINT address_requests_reason_check,
  ADD CONSTRAINT address_requests_reason_check CHECK (reason IN ('too_little', 'too_late'));
