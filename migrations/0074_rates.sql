-- Market rates: the last price of each coin that enough sources agreed on. A quote keeps what it was made with:
-- how old the rate was and who said so.

-- migrate:up
CREATE TABLE rates (
  coin text COLLATE "C" PRIMARY KEY,
  usd numeric NOT NULL CHECK (usd > 0),
  sources text[] NOT NULL,
  at timestamptz NOT NULL
);
-- Prices that test merchants have moved, for their own test payments.
CREATE TABLE sandbox_rates (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  coin text COLLATE "C" NOT NULL,
  usd numeric NOT NULL CHECK (usd > 0),
  PRIMARY KEY (merchant_id, coin)
);
ALTER TABLE merchants ADD COLUMN spread_bps integer NOT NULL DEFAULT 0 CHECK (spread_bps BETWEEN 0 AND 2000);
ALTER TABLE quotes ADD COLUMN rated_at timestamptz, ADD COLUMN rate_sources text[];

-- migrate:down
ALTER TABLE quotes DROP COLUMN rated_at, DROP COLUMN rate_sources;
ALTER TABLE merchants DROP COLUMN spread_bps;
DROP TABLE sandbox_rates;
DROP TABLE rates;
