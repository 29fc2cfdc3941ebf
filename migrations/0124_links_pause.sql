-- A payment link can be paused, and go on. The previous release sells a paused one, until it has ended.

-- migrate:up
ALTER TABLE payment_links ADD COLUMN paused_at timestamptz(3); -- null: it sells

-- migrate:down
ALTER TABLE payment_links DROP COLUMN paused_at;
