-- What the checkout page asks of a customer, and how long it holds a price.

-- migrate:up
-- The end of the rate lock; null: the quote holds as long as the payment, as in the settlement coin, which
-- has no rate.
ALTER TABLE quotes ADD COLUMN locked_until timestamptz(3);
ALTER TABLE payments
  ADD COLUMN refund_address text, -- on pay_network: the customer's address for refunds
  ADD COLUMN language text; -- of the page when the customer opened it last; null: never opened
ALTER TABLE refunds ADD COLUMN address text; -- null: back to the address that the customer paid from

-- migrate:down
ALTER TABLE refunds DROP COLUMN address;
ALTER TABLE payments DROP COLUMN refund_address, DROP COLUMN language;
ALTER TABLE quotes DROP COLUMN locked_until;
