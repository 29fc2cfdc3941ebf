-- Where live payments take money on networks of another family than that of their own wallet: a place for each family,
-- taken when their customer first chooses one of it. The previous release takes none, and offers no such network.

-- migrate:up
CREATE TABLE further_deposits (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments ON DELETE CASCADE,
  family text NOT NULL,
  wallet_id text COLLATE "C" NOT NULL,
  deposit_index integer NOT NULL,
  PRIMARY KEY (payment_id, family),
  UNIQUE (wallet_id, deposit_index)
);

-- migrate:down
DROP TABLE further_deposits;
