-- What happens when a customer pays too little, too late or too much; and where every amount came from and
-- went to.

-- migrate:up
ALTER TABLE merchants ADD COLUMN policy jsonb NOT NULL DEFAULT '{}'; -- what differs from the service's defaults
ALTER TABLE payments ADD COLUMN policy jsonb NOT NULL
  DEFAULT '{"underpaid": "wait", "underpaid_tolerance_percent": 0, "late": "honour", "overpaid": "keep"}';

-- Amounts in the payment's pay_currency. Every entry takes from one account and gives to another, so all
-- accounts of a payment always sum to zero. Entries are only ever added.
CREATE TABLE ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  kind text NOT NULL CHECK (kind IN ('received', 'reversed', 'converted', 'settled', 'refunded')),
  from_account text NOT NULL CHECK (from_account IN ('customer', 'held', 'converted', 'merchant')),
  to_account text NOT NULL CHECK (to_account IN ('customer', 'held', 'converted', 'merchant')),
  amount numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'), -- the upper bound keeps out NaN as well
  created_at timestamptz(3) NOT NULL,
  CHECK (from_account <> to_account)
);
CREATE INDEX ledger_entries_of_payment ON ledger_entries (payment_id);

-- migrate:down
DROP TABLE ledger_entries;
ALTER TABLE payments DROP COLUMN policy;
ALTER TABLE merchants DROP COLUMN policy;
