-- Where a merchant is told of what needs a person.

-- migrate:up
ALTER TABLE merchants ADD COLUMN contact_email text;

-- migrate:down
ALTER TABLE merchants DROP COLUMN contact_email;
