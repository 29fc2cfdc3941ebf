-- Merchants register further endpoints beside the webhookUrl, each with secrets of its own, and may have events
-- signed by a key pair too. `webhook_endpoints` stays what it is: the state of sending to one endpoint; the
-- state of a registered one has the id MERCHANT REGISTRATION, or PAYMENT REGISTRATION for an isolated payment.

-- migrate:up
CREATE TABLE endpoint_registrations (
  id text COLLATE "C" PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  url text NOT NULL,
  event_types text[] CHECK (event_types <> '{}'), -- null: all
  description text,
  payload text NOT NULL CHECK (payload IN ('full', 'thin')),
  is_enabled boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3)
);
CREATE INDEX endpoint_registrations_of_merchant ON endpoint_registrations (merchant_id, id)
  WHERE deleted_at IS NULL;

-- As webhook_secrets: expires_at is null for the current one; a rotated one still signs until then.
CREATE TABLE endpoint_secrets (
  endpoint_id text COLLATE "C" NOT NULL REFERENCES endpoint_registrations ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  key_id text NOT NULL,
  ciphertext bytea NOT NULL,
  expires_at timestamptz(3),
  PRIMARY KEY (endpoint_id, created_at)
);
CREATE UNIQUE INDEX endpoint_secret_in_force ON endpoint_secrets (endpoint_id) WHERE expires_at IS NULL;

-- Private keys for ed25519, of the merchants that asked for one.
CREATE TABLE webhook_signing_keys (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  created_at timestamptz(3) NOT NULL,
  key_id text NOT NULL,
  ciphertext bytea NOT NULL,
  expires_at timestamptz(3),
  PRIMARY KEY (merchant_id, created_at)
);
CREATE UNIQUE INDEX webhook_signing_key_in_force ON webhook_signing_keys (merchant_id)
  WHERE expires_at IS NULL;

-- Null: the merchant's own URL, a callback_url, or an isolated payment's.
ALTER TABLE webhook_endpoints ADD COLUMN registration_id text COLLATE "C";

-- migrate:down
-- Without their registrations, endpoints would take the merchant's own URL.
UPDATE deliveries SET status = 'failed', failed_because = 'endpoint_switched_off', next_attempt_at = NULL,
  finished_at = now()
WHERE status = 'pending' AND endpoint_id IN (
  SELECT id FROM webhook_endpoints WHERE registration_id IS NOT NULL);
DELETE FROM webhook_endpoints WHERE registration_id IS NOT NULL;
ALTER TABLE webhook_endpoints DROP COLUMN registration_id;
DROP TABLE webhook_signing_keys, endpoint_secrets, endpoint_registrations;
