-- Deliveries are due per endpoint: one scheduled job (due_work) runs all of an endpoint. Deliveries and
-- attempts are partitioned by the time in their ids, so that old rows are removed by dropping a table.
-- Existing rows stay in the default partitions until they are old.

-- migrate:up
-- The endpoints, by id: the merchant's own URL (the merchant's id), a callback_url of payments (MERCHANT URL,
-- without its query), or the receiver of an isolated payment (the payment's id).
CREATE TABLE webhook_endpoints (
  id text COLLATE "C" PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants,
  -- the lease: held_by is the run that sends to the endpoint; it ends at held_until (real time)
  held_by text,
  held_until timestamptz(3),
  -- pace: the concurrency limit; failures: since the last success; open_until: the circuit is open until then
  pace integer NOT NULL DEFAULT 4 CHECK (pace > 0),
  failures integer NOT NULL DEFAULT 0,
  open_until timestamptz(3),
  failing_since timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  switched_off_at timestamptz(3),
  switched_off_because text CHECK (switched_off_because IN ('gone', 'failing')),
  CHECK ((switched_off_at IS NULL) = (switched_off_because IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX webhook_endpoints_of_merchant ON webhook_endpoints (merchant_id);

-- Counts how often a job was scheduled: a worker that read version n may finish the job only while it is n.
ALTER TABLE due_work ADD COLUMN version integer NOT NULL DEFAULT 0;

ALTER TABLE deliveries RENAME TO deliveries_before;
ALTER TABLE delivery_attempts RENAME TO delivery_attempts_before;

CREATE TABLE deliveries (
  id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  type text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  failed_because text
    CHECK (failed_because IN ('retries_exhausted', 'webhooks_disabled', 'endpoint_switched_off')),
  attempts integer NOT NULL DEFAULT 0,
  restarted_after integer NOT NULL DEFAULT 0, -- attempts before the latest replay
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  PRIMARY KEY (id),
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
  CHECK ((status = 'failed') = (failed_because IS NOT NULL))
) PARTITION BY RANGE (id);
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT WITH (fillfactor = 80);

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
) PARTITION BY RANGE (delivery_id);
CREATE TABLE delivery_attempts_default PARTITION OF delivery_attempts DEFAULT;

-- From now on a delivery's id is derived from its event's, so that a second dispatch and a replay find it.
CREATE TEMPORARY TABLE moving ON COMMIT DROP AS
  SELECT d.id AS id_before, d.event_id, d.merchant_id, d.payment_id, e.sequence, e.type, d.status, d.attempts,
    d.created_at, d.finished_at, p.world, w.visible_at,
    'dlv_' || CASE WHEN p.world IS NULL THEN substr(e.id, 5)
      ELSE substr(e.payment_id, 5, 10) || substr(e.id, 15) END AS id,
    coalesce(p.world, d.merchant_id || coalesce(' ' || substring(e.callback_url FROM '^[^?#]+'), ''))
      AS endpoint_id,
    CASE WHEN d.status = 'pending' THEN coalesce(w.run_at, d.created_at) END AS next_attempt_at
  FROM deliveries_before d JOIN events e ON e.id = d.event_id JOIN payments p ON p.id = d.payment_id
    LEFT JOIN due_work w ON w.job = 'webhook.deliver' AND w.key = d.id;
INSERT INTO webhook_endpoints (id, merchant_id) SELECT DISTINCT endpoint_id, merchant_id FROM moving;
INSERT INTO deliveries
  SELECT id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
    CASE WHEN status = 'failed' THEN 'retries_exhausted' END, attempts, 0, next_attempt_at, created_at,
    finished_at
  FROM moving;
INSERT INTO delivery_attempts
  SELECT m.id, a.number, a.url, a.remote_address, a.started_at, a.duration_ms, a.status_code, a.error_class,
    a.error_detail, a.response_excerpt, a.next_attempt_at
  FROM delivery_attempts_before a JOIN moving m ON m.id_before = a.delivery_id;
DELETE FROM due_work WHERE job = 'webhook.deliver';
INSERT INTO due_work (job, key, run_at, visible_at, world)
  SELECT 'webhook.deliver', endpoint_id, min(next_attempt_at), min(coalesce(visible_at, next_attempt_at)),
    world
  FROM moving WHERE status = 'pending' GROUP BY endpoint_id, world;
DROP TABLE moving;
DROP TABLE deliveries_before, delivery_attempts_before;

CREATE INDEX deliveries_due ON deliveries (endpoint_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_of_payment ON deliveries (payment_id);
CREATE INDEX deliveries_newest ON deliveries (merchant_id, id DESC);
CREATE INDEX deliveries_failed ON deliveries (merchant_id, id DESC) WHERE status = 'failed';

-- migrate:down
-- Back to one scheduled job per delivery; disabled endpoints and their leases are lost.
CREATE TABLE deliveries_before (
  id text COLLATE "C" PRIMARY KEY,
  event_id text COLLATE "C" NOT NULL UNIQUE,
  merchant_id text COLLATE "C" NOT NULL,
  payment_id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  claimed_until timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3)
) WITH (fillfactor = 80);
CREATE TABLE delivery_attempts_before (LIKE delivery_attempts INCLUDING ALL);
INSERT INTO deliveries_before
  SELECT id, event_id, merchant_id, payment_id, status, attempts, NULL, created_at, finished_at
  FROM deliveries;
INSERT INTO delivery_attempts_before SELECT * FROM delivery_attempts;
DELETE FROM due_work WHERE job = 'webhook.deliver';
INSERT INTO due_work (job, key, run_at, visible_at)
  SELECT 'webhook.deliver', id, next_attempt_at, next_attempt_at FROM deliveries WHERE status = 'pending';
DROP TABLE deliveries, delivery_attempts, webhook_endpoints;
ALTER TABLE deliveries_before RENAME TO deliveries;
ALTER TABLE delivery_attempts_before RENAME TO delivery_attempts;
CREATE INDEX deliveries_of_payment ON deliveries (payment_id);
ALTER TABLE due_work DROP COLUMN version;
