-- Prices in money: a payment that was asked for in a currency keeps what it was converted with, in the shape in which
-- it is told: {"amount", "currency", "rate", "rated_at", "sources"}. `rates` holds currencies beside coins. The previous
-- release stores no price, tells of none, and reads no currency's rate.

-- migrate:up
ALTER TABLE payments ADD COLUMN price json;

-- migrate:down
DELETE FROM rates WHERE coin IN ('EUR', 'GBP', 'CHF', 'JPY', 'CNY', 'INR', 'AUD', 'CAD', 'NZD', 'SGD', 'HKD', 'KRW',
  'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'TRY', 'BRL', 'MXN', 'ZAR', 'AED', 'SAR', 'HUF', 'ILS', 'THB', 'IDR', 'MYR', 'KWD');
ALTER TABLE payments DROP COLUMN price;
