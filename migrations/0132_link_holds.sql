-- Who holds items of a payment link without having paid: one address must not hold all. New table only; payments of the
-- previous release are not among them.

-- migrate:up
CREATE TABLE link_holds (
  payment_id text COLLATE "C" PRIMARY KEY,
  link_id text COLLATE "C" NOT NULL REFERENCES payment_links ON DELETE CASCADE,
  holder integer NOT NULL, -- 16 bits of a hash of link and address: too few to tell the address
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX link_holds_of_holder ON link_holds (link_id, holder, created_at);

-- migrate:down
DROP TABLE link_holds;
