-- What the checkout page asks of a customer, and for how long it names a price.

-- migrate:up
-- Until when rate and amount hold; null: for as long as the payment does, as in the settlement coin itself,
-- where there is no rate.
ALTER TABLE quotes ADD COLUMN locked_until timestamptz(3);
ALTER TABLE payments
  ADD COLUMN refund_address text, -- on pay_network: where the customer wants back what came too late or too little
  ADD COLUMN language text; -- of the page, as the customer saw it last; null: he has not
ALTER TABLE refunds ADD COLUMN address text; -- where it is sent; null: to where the money came from;

-- migrate:down
ALTER TABLE refunds DROP COLUMN address;
ALTER TABLE payments DROP COLUMN refund_address, DROP COLUMN language;
ALTER TABLE quotes DROP COLUMN locked_until;
