-- How many mails of test payments a merchant has had sent on a day (UTC): their number is limited.

-- migrate:up
ALTER TABLE merchants
  ADD COLUMN test_mails_on date,
  ADD COLUMN test_mails integer NOT NULL DEFAULT 0;

-- migrate:down
ALTER TABLE merchants DROP COLUMN test_mails_on, DROP COLUMN test_mails;
