-- Ids are COLLATE "C": comparison by bytes is faster, and is the order of their creation. Times have
-- milliseconds. Money is numeric, or text where the API must return what the merchant wrote.

-- migrate:up
CREATE TABLE merchants (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  settlement_currency text NOT NULL,
  settlement_network text NOT NULL,
  webhook_url text,
  webhooks_enabled boolean NOT NULL DEFAULT false,
  webhooks_updated_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CHECK (webhook_url IS NOT NULL OR NOT webhooks_enabled)
);

CREATE TABLE api_keys (
  key_hash bytea PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  visible_prefix text NOT NULL,
  permissions text[] NOT NULL,
  created_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3)
);
CREATE INDEX api_keys_of_merchant ON api_keys (merchant_id);

-- expires_at is null for the current secret; a rotated secret still signs until then.
CREATE TABLE webhook_secrets (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  created_at timestamptz(3) NOT NULL,
  key_id text NOT NULL,
  ciphertext bytea NOT NULL,
  expires_at timestamptz(3),
  PRIMARY KEY (merchant_id, created_at)
);
CREATE UNIQUE INDEX webhook_secret_in_force ON webhook_secrets (merchant_id) WHERE expires_at IS NULL;

CREATE TABLE payments (
  id text COLLATE "C" PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  token_id text COLLATE "C" NOT NULL UNIQUE,
  order_id text NOT NULL,
  order_description text,
  callback_url text,
  success_url text,
  cancel_url text,
  customer_email text,
  metadata json NOT NULL, -- json, not jsonb: keeps the merchant's order of keys
  pay_amount text NOT NULL,
  pay_currency text NOT NULL,
  pay_network text NOT NULL,
  status text NOT NULL
    CHECK (status IN ('WAITING', 'PENDING', 'PROCESSING', 'SETTLED', 'EXPIRED', 'FAILED', 'REFUNDED')),
  exceptions text[] NOT NULL DEFAULT '{}'
    CHECK (exceptions <@ ARRAY['underpaid', 'overpaid', 'late', 'reorged', 'replaced']),
  sequence integer NOT NULL DEFAULT 1,
  -- the coin that the customer pays in, at the rate locked for this payment
  coin text NOT NULL,
  network text NOT NULL,
  address text NOT NULL,
  crypto_amount text NOT NULL,
  -- what was seen on chain: the latest transfer, and (covered) whether enough money was seen in time
  tx_hash text,
  confirmations integer NOT NULL DEFAULT 0,
  covered boolean NOT NULL DEFAULT false,
  amount_received numeric NOT NULL DEFAULT 0 CHECK (amount_received >= 0),
  amount_refunded numeric NOT NULL DEFAULT 0 CHECK (amount_refunded >= 0),
  actually_paid text,
  actually_paid_currency text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  deadline_at timestamptz(3) NOT NULL, -- expires_at, or the end of the late window after late money
  settled_at timestamptz(3),
  CHECK ((status = 'SETTLED') <= (settled_at IS NOT NULL AND actually_paid IS NOT NULL))
) WITH (fillfactor = 80); -- a payment is updated a few times: free space allows HOT updates
CREATE INDEX payments_newest ON payments (merchant_id, created_at DESC, id DESC);
CREATE INDEX payments_by_order ON payments (merchant_id, order_id, created_at DESC, id DESC);

-- One row per payment, coin and network that was quoted; the address leads from a transfer to its payment.
CREATE TABLE quotes (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  coin text NOT NULL,
  network text NOT NULL,
  address text NOT NULL,
  crypto_amount text NOT NULL,
  rate text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (payment_id, coin, network)
);
CREATE INDEX quotes_by_address ON quotes (address, network);

-- The transfers to deposit addresses, as the chain client reported them.
CREATE TABLE transfers (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  network text NOT NULL,
  tx_hash text NOT NULL,
  coin text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  seen_at timestamptz(3) NOT NULL,
  block_height bigint,
  confirmed_at timestamptz(3),
  dropped_at timestamptz(3),
  replaced_by text,
  PRIMARY KEY (payment_id, network, tx_hash, coin) -- one transaction may pay several coins
);
CREATE INDEX transfers_by_hash ON transfers (network, tx_hash);
CREATE INDEX transfers_confirming ON transfers (network, block_height)
  WHERE confirmed_at IS NULL AND dropped_at IS NULL AND block_height IS NOT NULL;

CREATE TABLE chain_cursors (
  network text PRIMARY KEY,
  cursor text,
  head bigint NOT NULL DEFAULT 0
);

CREATE TABLE refunds (
  id text COLLATE "C" PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  amount text NOT NULL,
  currency text NOT NULL,
  reason text,
  status text NOT NULL CHECK (status IN ('PENDING', 'COMPLETED')),
  tx_hash text,
  created_at timestamptz(3) NOT NULL,
  completed_at timestamptz(3)
);
CREATE INDEX refunds_of_payment ON refunds (payment_id);

-- Rows are never updated: the body is the bytes that every delivery sends. No foreign keys here and below:
-- rows are written in the transaction of their payment, and log tables may be partitioned by time later.
CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  type text NOT NULL,
  callback_url text,
  body text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (payment_id, sequence)
);

CREATE TABLE deliveries (
  id text COLLATE "C" PRIMARY KEY,
  event_id text COLLATE "C" NOT NULL UNIQUE, -- a second dispatch of an event adds nothing
  merchant_id text COLLATE "C" NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  claimed_until timestamptz(3), -- a request is in flight until then: a job that runs twice sends once
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3)
) WITH (fillfactor = 80);
CREATE INDEX deliveries_of_payment ON deliveries (payment_id);

CREATE TABLE delivery_attempts (
  delivery_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  url text NOT NULL,
  remote_address text,
  started_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  error_class text,
  error_detail text,
  response_excerpt text,
  next_attempt_at timestamptz(3),
  PRIMARY KEY (delivery_id, number)
);

-- Scheduled jobs: a row exists until the effects of its job are committed. visible_at is when the relay may
-- enqueue it (again).
CREATE TABLE due_work (
  job text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  run_at timestamptz(3) NOT NULL,
  visible_at timestamptz(3) NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  PRIMARY KEY (job, key)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0); -- rows are short-lived
CREATE INDEX due_work_by_job ON due_work (job, visible_at);

CREATE TABLE idempotency_keys (
  merchant_id text COLLATE "C" NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  body_hash bytea NOT NULL,
  status integer,
  body text,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (merchant_id, key, method, path)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- migrate:down
DROP TABLE idempotency_keys, due_work, delivery_attempts, deliveries, events, refunds, chain_cursors,
  transfers, quotes, payments, webhook_secrets, api_keys, merchants;
