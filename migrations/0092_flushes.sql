-- Flushes: transactions that move the money of forwarders to their treasuries. Each is stored as it was signed before
-- it is sent, so that whoever comes after a crash sends the same bytes again; a replacement is another row of the same
-- nonce. What an address held, and that nothing of it is left, is known as of a final block alone, so that a flush
-- that is reorganised was never counted. The previous release flushes nothing.
-- migrate:up
CREATE TABLE flushes (
  tx_hash text COLLATE "C" PRIMARY KEY,
  network text NOT NULL,
  account text NOT NULL, -- whose gas it is
  nonce bigint NOT NULL,
  raw bytea NOT NULL, -- as it was signed
  payment_ids text[] COLLATE "C" NOT NULL, -- whose deposit addresses it moves
  usd numeric NOT NULL, -- what it moves, by the rates of its time
  sent_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3), -- null: it may still be mined, or its block is not final
  outcome text, -- flushed, reverted; replaced: another transaction of its nonce is final
  gas_used bigint,
  fee numeric -- in the native coin, of what was mined
);
CREATE INDEX flushes_open ON flushes (network) WHERE ended_at IS NULL;
-- What is known of the coins at deposit addresses that a flush looked at.
CREATE TABLE flushed_deposits (
  payment_id text COLLATE "C" NOT NULL REFERENCES payments ON DELETE CASCADE,
  network text NOT NULL,
  coin text NOT NULL,
  empty_at bigint, -- nothing was left after this final block; null: something was, ever since
  tries integer NOT NULL DEFAULT 0, -- flushes in a row that left something
  retry_at timestamptz(3), -- none includes it before that
  PRIMARY KEY (payment_id, network, coin)
);
-- migrate:down
DROP TABLE flushed_deposits;
DROP TABLE flushes;
