-- The network of the transfer that a payment's tx_hash and confirmations are of. The previous release leaves it
-- null, as in all rows so far: then it is the network that the customer chose. And when a merchant cancelled a
-- payment.

-- migrate:up
ALTER TABLE payments
  ADD COLUMN tx_network text,
  ADD COLUMN cancelled_at timestamptz(3);

-- migrate:down
ALTER TABLE payments DROP COLUMN tx_network, DROP COLUMN cancelled_at;
