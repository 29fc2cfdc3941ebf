-- What coins and currencies cost in each hour, so that an export says what an amount was worth at its time. A new table:
-- the previous release stores no hour, and what happens while it alone reads the market has no value in exports.

-- migrate:up
CREATE TABLE hourly_rates (
  coin text COLLATE "C" NOT NULL, -- or a currency
  hour timestamptz NOT NULL,
  usd numeric NOT NULL CHECK (usd > 0), -- the first rate of the hour
  PRIMARY KEY (coin, hour)
);

-- migrate:down
DROP TABLE hourly_rates;
