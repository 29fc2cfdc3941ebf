-- Who made a key at the desk: an owner who removes them is told which keys they may still know.

-- migrate:up
ALTER TABLE api_keys ADD COLUMN made_by text COLLATE "C"; -- a person; null: a command, or before this migration

-- migrate:down
ALTER TABLE api_keys DROP COLUMN made_by;
