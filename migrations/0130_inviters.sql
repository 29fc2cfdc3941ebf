-- Who has invited somebody: whoever is removed leaves no way back in.

-- migrate:up
ALTER TABLE invitations ADD COLUMN invited_by text COLLATE "C"; -- a person's id; null: a command

-- migrate:down
ALTER TABLE invitations DROP COLUMN invited_by;
