-- Money keeps the coin it came in: each transfer has its credit, and conversions, refunds and ledger entries
-- have a coin, a network and an amount in it.

-- migrate:up
-- What a transfer is worth in pay_currency, decided when it was first seen; the lowest locked_amount of its
-- coins were credited at a locked rate. converted and returned are coins committed to a conversion (its number)
-- and to refunds.
ALTER TABLE transfers
  ADD COLUMN sender text,
  ADD COLUMN credit numeric NOT NULL DEFAULT 0 CHECK (credit >= 0),
  ADD COLUMN locked_amount numeric NOT NULL DEFAULT 0,
  ADD COLUMN locked_credit numeric NOT NULL DEFAULT 0,
  ADD COLUMN converted numeric NOT NULL DEFAULT 0 CHECK (converted >= 0),
  ADD COLUMN returned numeric NOT NULL DEFAULT 0 CHECK (returned >= 0),
  ADD COLUMN conversion integer;
UPDATE transfers t SET
  credit = trunc(t.amount * p.pay_amount::numeric / q.crypto_amount::numeric, 18),
  converted = CASE WHEN p.settled_at IS NOT NULL AND t.confirmed_at IS NOT NULL THEN t.amount ELSE 0 END,
  conversion = CASE WHEN p.settled_at IS NOT NULL AND t.confirmed_at IS NOT NULL THEN 1 END,
  returned = CASE WHEN p.settled_at IS NULL AND p.status = 'REFUNDED' THEN t.amount ELSE 0 END
FROM payments p, quotes q
WHERE p.id = t.payment_id AND q.payment_id = t.payment_id AND q.coin = t.coin AND q.network = t.network;
ALTER TABLE transfers
  ALTER COLUMN credit DROP DEFAULT,
  ADD CHECK (converted + returned <= amount),
  ADD CHECK (locked_amount <= amount AND locked_credit <= credit);

-- asks pays for covers, a part of the price, while the rate is locked; null: the settlement coin has no rate.
ALTER TABLE quotes RENAME COLUMN created_at TO quoted_at;
ALTER TABLE quotes ADD COLUMN asks numeric, ADD COLUMN covers numeric;
UPDATE quotes q SET asks = q.crypto_amount::numeric, covers = p.pay_amount::numeric
FROM payments p WHERE p.id = q.payment_id AND p.pay_currency <> q.coin;

-- A conversion is stored with its amount before the exchange is asked: a number never stands for another one.
CREATE TABLE conversions (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  number integer NOT NULL,
  coin text NOT NULL,
  network text NOT NULL,
  amount numeric NOT NULL CHECK (amount > 0),
  credit numeric NOT NULL CHECK (credit >= 0), -- in pay_currency
  status text NOT NULL CHECK (status IN ('PENDING', 'CONVERTED', 'REFUSED', 'ABANDONED')),
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  PRIMARY KEY (payment_id, number),
  CHECK ((status = 'PENDING') = (finished_at IS NULL))
);
CREATE INDEX conversions_pending ON conversions (payment_id, number) WHERE status = 'PENDING';
INSERT INTO conversions
  SELECT t.payment_id, 1, min(t.coin), min(t.network), sum(t.amount), sum(t.credit), 'CONVERTED',
    p.settled_at, p.settled_at
  FROM transfers t JOIN payments p ON p.id = t.payment_id
  WHERE t.conversion = 1 GROUP BY t.payment_id, p.settled_at;

ALTER TABLE refunds
  ADD COLUMN source text NOT NULL DEFAULT 'settled' CHECK (source IN ('held', 'settled')),
  ADD COLUMN coin text,
  ADD COLUMN network text,
  ADD COLUMN coin_amount text;
UPDATE refunds r SET coin = p.pay_currency, network = p.pay_network, coin_amount = r.amount,
  source = CASE WHEN p.settled_at IS NULL THEN 'held' ELSE 'settled' END
FROM payments p WHERE p.id = r.payment_id;
ALTER TABLE refunds DROP CONSTRAINT refunds_status_check;
ALTER TABLE refunds
  ALTER COLUMN source DROP DEFAULT,
  ALTER COLUMN coin SET NOT NULL,
  ALTER COLUMN network SET NOT NULL,
  ALTER COLUMN coin_amount SET NOT NULL,
  ADD CONSTRAINT refunds_status_check CHECK (status IN ('NEEDS_ADDRESS', 'PENDING', 'COMPLETED'));
-- Without an address a refund went to where the money came from, which earlier transfers do not say.
UPDATE refunds SET status = 'NEEDS_ADDRESS' WHERE status = 'PENDING' AND address IS NULL;
ALTER TABLE refunds ADD CONSTRAINT refunds_address_check CHECK (status <> 'PENDING' OR address IS NOT NULL);

-- The coins of transfers that a refund of held money reserved; transfers.returned is their sum.
CREATE TABLE refund_parts (
  refund_id text COLLATE "C" NOT NULL REFERENCES refunds ON DELETE CASCADE,
  payment_id text COLLATE "C" NOT NULL,
  network text NOT NULL,
  tx_hash text NOT NULL,
  coin text NOT NULL,
  coins numeric NOT NULL CHECK (coins > 0),
  PRIMARY KEY (refund_id, network, tx_hash, coin)
);
CREATE INDEX refund_parts_of_transfer ON refund_parts (payment_id, network, tx_hash);

-- Where the customer wants money back, once per network.
CREATE TABLE refund_addresses (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  network text NOT NULL,
  address text NOT NULL,
  PRIMARY KEY (payment_id, network)
);
INSERT INTO refund_addresses
  SELECT id, pay_network, refund_address FROM payments WHERE refund_address IS NOT NULL;
ALTER TABLE payments DROP COLUMN refund_address;

-- Earlier entries are in pay_currency, at the credit of what came.
ALTER TABLE ledger_entries ADD COLUMN coin text, ADD COLUMN network text;
UPDATE ledger_entries e SET coin = p.pay_currency, network = p.pay_network
FROM payments p WHERE p.id = e.payment_id;
ALTER TABLE ledger_entries ALTER COLUMN coin SET NOT NULL, ALTER COLUMN network SET NOT NULL;

-- migrate:down
ALTER TABLE ledger_entries DROP COLUMN coin, DROP COLUMN network;
ALTER TABLE payments ADD COLUMN refund_address text;
UPDATE payments p SET refund_address = a.address
FROM refund_addresses a WHERE a.payment_id = p.id AND a.network = p.pay_network;
DROP TABLE refund_addresses, refund_parts;
ALTER TABLE refunds DROP CONSTRAINT refunds_status_check, DROP CONSTRAINT refunds_address_check;
UPDATE refunds SET status = 'PENDING' WHERE status = 'NEEDS_ADDRESS';
ALTER TABLE refunds
  DROP COLUMN source, DROP COLUMN coin, DROP COLUMN network, DROP COLUMN coin_amount,
  ADD CONSTRAINT refunds_status_check CHECK (status IN ('PENDING', 'COMPLETED'));
DROP TABLE conversions;
ALTER TABLE quotes RENAME COLUMN quoted_at TO created_at;
ALTER TABLE quotes DROP COLUMN asks, DROP COLUMN covers;
ALTER TABLE transfers
  DROP COLUMN sender, DROP COLUMN credit, DROP COLUMN locked_amount, DROP COLUMN locked_credit,
  DROP COLUMN converted, DROP COLUMN returned, DROP COLUMN conversion;
