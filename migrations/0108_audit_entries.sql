-- The audit log holds what people and keys did beside what commands did, each merchant's as a chain of its own (0109).
-- The previous release writes commands, of the installation.

-- migrate:up
ALTER TABLE operator_actions
  ADD COLUMN merchant_id text COLLATE "C" NOT NULL DEFAULT 'installation', -- whose chain
  ADD COLUMN kind text NOT NULL DEFAULT 'command', -- who the actor is: person, key or command
  ADD COLUMN address text, -- from where; null: a command
  ADD COLUMN number bigint, -- 1, 2, 3 of its chain; null: older than the chains
  ADD COLUMN hash bytea;
-- locks: a row for each command that an operator has run.
CREATE UNIQUE INDEX operator_actions_chained ON operator_actions (merchant_id, number);

-- migrate:down
DROP INDEX operator_actions_chained;
ALTER TABLE operator_actions
  DROP COLUMN merchant_id, DROP COLUMN kind, DROP COLUMN address, DROP COLUMN number, DROP COLUMN hash;
