-- Tills: devices at a counter, on which people of a shop create payments by a PIN. New tables only.

-- migrate:up
CREATE TABLE tills (
  id text COLLATE "C" PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  name text NOT NULL,
  price_currency text, -- ISO 4217; null: amounts are in the settlement coin
  methods json, -- [{"coin", "network"}], in the order of the shop; null: what the merchant's pages offer
  pin_hash text NOT NULL, -- argon2id
  sales integer NOT NULL DEFAULT 0, -- number of the latest sale
  closes integer NOT NULL DEFAULT 0, -- number of the latest close
  created_at timestamptz(3) NOT NULL,
  archived_at timestamptz(3)
);
CREATE INDEX tills_of_merchant ON tills (merchant_id, id);
CREATE TABLE till_devices (
  id text COLLATE "C" PRIMARY KEY,
  till_id text COLLATE "C" NOT NULL REFERENCES tills ON DELETE CASCADE,
  name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE, -- SHA-256: of the link, and of the device's cookie once that is used
  is_link boolean NOT NULL, -- a link that becomes a device when it is used
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  opened_at timestamptz(3), -- by the PIN; null: locked
  address text NOT NULL,
  agent text NOT NULL -- User-Agent
);
CREATE INDEX till_devices_of_till ON till_devices (till_id);
CREATE TABLE till_sales (
  till_id text COLLATE "C" NOT NULL REFERENCES tills ON DELETE CASCADE,
  number integer NOT NULL, -- 1, 2, 3 of its till
  nonce text COLLATE "C" NOT NULL, -- made for the sale on the device: however often it is sent, it is one
  device_id text COLLATE "C" NOT NULL,
  amount text NOT NULL,
  payment_id text COLLATE "C" UNIQUE, -- null: it could not be created
  close_number integer, -- of the close that counts it; 0: none ever does; null: none yet
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (till_id, number),
  UNIQUE (till_id, nonce)
);
CREATE INDEX till_sales_uncounted ON till_sales (till_id, number) WHERE close_number IS NULL;
CREATE INDEX till_sales_of_close ON till_sales (till_id, close_number, number) WHERE close_number > 0;
CREATE TABLE till_closes (
  till_id text COLLATE "C" NOT NULL REFERENCES tills ON DELETE CASCADE,
  number integer NOT NULL, -- 1, 2, 3 of its till
  closed_at timestamptz(3) NOT NULL,
  closed_by text NOT NULL, -- as it was typed
  device_name text NOT NULL,
  totals json NOT NULL, -- as they were then
  PRIMARY KEY (till_id, number)
);

-- migrate:down
DROP TABLE till_closes, till_sales, till_devices, tills;
