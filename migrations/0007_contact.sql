-- The mail address for notices that need a person at the merchant.

-- migrate:up
ALTER TABLE merchants ADD COLUMN contact_email text;

-- migrate:down
ALTER TABLE merchants DROP COLUMN contact_email;
