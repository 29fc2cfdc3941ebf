-- A quote keeps what the one before it asked for the same: the page says how a price changed when its lock ended.
-- A quote that the previous release renews keeps an older one's amount, until the next renewal.

-- migrate:up
ALTER TABLE quotes ADD COLUMN asked_before numeric; -- null: the first quote of the method

-- migrate:down
ALTER TABLE quotes DROP COLUMN asked_before;
