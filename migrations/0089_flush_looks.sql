-- Deposit addresses that a flush has looked at and that are not worth moving, so that the next one looks at others first:
-- each asks a node for a bounded number. The previous release neither reads nor writes it.

-- migrate:up
CREATE TABLE flush_looks (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments ON DELETE CASCADE,
  network text NOT NULL,
  looked_at bigint NOT NULL, -- the final block of the last look
  PRIMARY KEY (payment_id, network)
);

-- migrate:down
DROP TABLE flush_looks;
