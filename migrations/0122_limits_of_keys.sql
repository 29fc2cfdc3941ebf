-- Until when a key works, and from where. The previous release asks neither: while it still runs, it takes such a key
-- everywhere.

-- migrate:up
ALTER TABLE api_keys ADD COLUMN name text; -- what people call it
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz(3); -- null: never
ALTER TABLE api_keys ADD COLUMN allowed_addresses text[]; -- addresses and networks; null: from everywhere

-- migrate:down
ALTER TABLE api_keys DROP COLUMN name, DROP COLUMN expires_at, DROP COLUMN allowed_addresses;
