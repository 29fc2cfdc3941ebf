-- Endpoints of callback URLs are found by a hash of their URL: an index row holds at most a third of a page,
-- which a long URL exceeds. Stored endpoints keep their ids (MERCHANT URL), new ones have MERCHANT HASH. The
-- previous release may run meanwhile: what it inserts has no hash, and keeps its deliveries until it is idle.

-- migrate:up
ALTER TABLE webhook_endpoints
  ADD COLUMN url text, -- without its query; null: the merchant's own URL, or a payment's test clock
  ADD COLUMN url_hash bytea, -- SHA-256 of url
  ADD COLUMN created_at timestamptz(3) NOT NULL DEFAULT now(); -- real time
UPDATE webhook_endpoints SET url = substr(id, length(merchant_id) + 2),
  url_hash = sha256(convert_to(substr(id, length(merchant_id) + 2), 'UTF8'))
WHERE starts_with(id, merchant_id || ' ');
CREATE UNIQUE INDEX webhook_endpoints_by_url ON webhook_endpoints (merchant_id, url_hash);
DROP INDEX webhook_endpoints_of_merchant; -- webhook_endpoints_by_url begins with the merchant, too

-- migrate:down
CREATE INDEX webhook_endpoints_of_merchant ON webhook_endpoints (merchant_id);
DROP INDEX webhook_endpoints_by_url;
ALTER TABLE webhook_endpoints DROP COLUMN url, DROP COLUMN url_hash, DROP COLUMN created_at;
