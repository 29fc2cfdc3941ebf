-- Devices that are known no more, since their person's password was changed: the row stays, so that the next sign-in is told as one
-- of a new device. The previous release still knows them for its guesses, as it did.

-- migrate:up
ALTER TABLE known_devices ADD COLUMN revoked_at timestamptz(3); -- null: known

-- migrate:down
ALTER TABLE known_devices DROP COLUMN revoked_at;
