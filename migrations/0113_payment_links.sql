-- Payment links: pages of a merchant on which customers create payments themselves. The previous release makes no link's
-- payment; one that it expires while both run gives no item back, and `taken` counts one too many.

-- migrate:up
CREATE TABLE payment_links (
  id text COLLATE "C" PRIMARY KEY,
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  token text COLLATE "C" NOT NULL UNIQUE, -- public: the page's address
  title text NOT NULL,
  description text,
  prices json, -- [{"name", "amount"}]; null: the customer chooses an amount
  open_amount json, -- {"min", "max"}
  price_currency text, -- ISO 4217; null: amounts are in the settlement coin
  fields json NOT NULL, -- [{"key", "label", "required", "max_length"}]
  max_uses integer CHECK (max_uses > 0),
  stock integer CHECK (stock > 0),
  taken integer NOT NULL DEFAULT 0 CHECK (taken >= 0), -- its payments that are open or paid
  expiration_minutes integer NOT NULL,
  success_url text,
  thank_you text,
  expires_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  archived_at timestamptz(3),
  CHECK (num_nonnulls(prices, open_amount) = 1)
);
CREATE INDEX payment_links_of_merchant ON payment_links (merchant_id, id);
ALTER TABLE payments ADD COLUMN link_id text COLLATE "C"; -- the link that it takes an item of

-- migrate:down
ALTER TABLE payments DROP COLUMN link_id;
DROP TABLE payment_links;
