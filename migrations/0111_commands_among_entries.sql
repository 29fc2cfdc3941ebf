-- The latest commands, which status shows, among the many entries of people and keys. Built without locking writes; what
-- an interrupted build left behind is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS operator_actions_of_commands;
CREATE INDEX CONCURRENTLY operator_actions_of_commands ON operator_actions (id) WHERE kind = 'command';

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS operator_actions_of_commands;
