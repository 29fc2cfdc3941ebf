-- Sales of what came to an account at an exchange, one for each conversion, and their orders. An order is stored before
-- it is sent: whoever comes after a crash looks it up by its id. The previous release sells nothing.

-- migrate:up
CREATE TABLE sales (
  payment_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  merchant_id text COLLATE "C" NOT NULL,
  status text NOT NULL, -- OPEN, HELD (for a person), ENDED
  reason text, -- why it is not sold yet
  detail text, -- what the exchange said
  is_credited boolean NOT NULL DEFAULT false, -- the exchange has credited the account with all of it
  as_received boolean NOT NULL DEFAULT false, -- a person has decided that what is left stays as it came
  failures integer NOT NULL DEFAULT 0, -- steps in a row that failed
  empty_orders integer NOT NULL DEFAULT 0, -- orders in a row that found no buyer
  created_at timestamptz(3) NOT NULL,
  since timestamptz(3), -- since when it has its reason, or is held
  PRIMARY KEY (payment_id, number),
  FOREIGN KEY (payment_id, number) REFERENCES conversions ON DELETE CASCADE
);
CREATE INDEX sales_unsold ON sales (created_at) WHERE status <> 'ENDED';
CREATE TABLE sale_orders (
  payment_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  attempt integer NOT NULL,
  client_id text NOT NULL UNIQUE, -- ours, which the exchange keeps with it
  pair text NOT NULL,
  volume numeric NOT NULL,
  price_limit numeric NOT NULL,
  deadline timestamptz(3) NOT NULL, -- the exchange takes it until then
  status text NOT NULL, -- SENT: it may have been taken; ENDED; VOID: it was not taken
  exchange_id text,
  sold numeric NOT NULL DEFAULT 0,
  proceeds numeric NOT NULL DEFAULT 0,
  fee numeric NOT NULL DEFAULT 0, -- out of the proceeds
  error text,
  ended_at timestamptz(3),
  PRIMARY KEY (payment_id, number, attempt),
  FOREIGN KEY (payment_id, number) REFERENCES sales ON DELETE CASCADE
);
CREATE UNIQUE INDEX sale_orders_open ON sale_orders (payment_id, number) WHERE status = 'SENT';
ALTER TABLE conversions
  ADD COLUMN settled numeric, -- of a sale: what the merchant got, without the fee; null: another conversion
  ADD COLUMN kept numeric; -- of a sale: what stayed as it came

-- migrate:down
DELETE FROM scheduled_jobs WHERE job = 'payment.sell';
ALTER TABLE conversions DROP COLUMN settled, DROP COLUMN kept;
DROP TABLE sale_orders;
DROP TABLE sales;
