-- Policies (what happens when a customer pays too little, too late or too much), and the ledger.

-- migrate:up
ALTER TABLE merchants ADD COLUMN policy jsonb NOT NULL DEFAULT '{}'; -- overrides of the service's defaults
ALTER TABLE payments ADD COLUMN policy jsonb NOT NULL
  DEFAULT '{"underpaid": "wait", "underpaid_tolerance_percent": 0, "late": "honour", "overpaid": "keep"}';

-- Amounts in the payment's pay_currency. Every entry moves an amount from one account to another, so the
-- accounts of a payment always sum to zero. Entries are never updated or deleted.
CREATE TABLE ledger_entries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payment_id text COLLATE "C" NOT NULL REFERENCES payments,
  kind text NOT NULL CHECK (kind IN ('received', 'reversed', 'converted', 'settled', 'refunded')),
  from_account text NOT NULL CHECK (from_account IN ('customer', 'held', 'converted', 'merchant')),
  to_account text NOT NULL CHECK (to_account IN ('customer', 'held', 'converted', 'merchant')),
  amount numeric NOT NULL CHECK (amount > 0 AND amount < 'Infinity'), -- the upper bound also excludes NaN
  created_at timestamptz(3) NOT NULL,
  CHECK (from_account <> to_account)
);
CREATE INDEX ledger_entries_of_payment ON ledger_entries (payment_id);

-- migrate:down
DROP TABLE ledger_entries;
ALTER TABLE payments DROP COLUMN policy;
ALTER TABLE merchants DROP COLUMN policy;
