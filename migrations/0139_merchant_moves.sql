-- Merchants that are moved to another cell, or arrive from one: a row in each of the two databases. While `stopped_until` is
-- ahead, the database refuses what is written of the merchant, whoever writes: the triggers are created when a move begins and
-- dropped when it ends (src/domain/ops/move/fence.ts), so nothing is paid for them else. The time is the database's own.

-- migrate:up
CREATE TABLE merchant_moves (
  merchant_id text COLLATE "C" PRIMARY KEY, -- no foreign key: it arrives before its merchant
  cell text NOT NULL, -- where it moves to, or comes from
  step text NOT NULL, -- src/domain/ops/move/steps.ts
  run text NOT NULL, -- of the command: one that was killed decides nothing for the next
  began_at timestamptz(3) NOT NULL,
  stopped_until timestamptz, -- null: nothing is refused
  heights jsonb NOT NULL DEFAULT '{}' -- by real network, up to where its blocks were final when the rows were copied
);
-- The arguments: the merchant, and which rows of the table are its own, as a condition on the row `t`; empty: all that come here,
-- because the trigger itself looks at their merchant. The move's own transactions name the merchant in checkout.moving. The
-- watcher is refused payments and events alone: a page of a network must not fail for others.
CREATE FUNCTION refuse_moving() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_own boolean := true;
BEGIN
  IF current_setting('checkout.moving', true) IS NOT DISTINCT FROM TG_ARGV[0]
    OR NOT EXISTS (SELECT FROM merchant_moves WHERE merchant_id = TG_ARGV[0] AND stopped_until > clock_timestamp())
    OR (TG_TABLE_NAME NOT IN ('payments', 'events') AND starts_with(current_setting('application_name'), 'watcher ')) THEN
    RETURN NEW;
  END IF;
  IF TG_ARGV[1] <> '' THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM (SELECT ($1).*) t WHERE %s)', TG_ARGV[1]) INTO is_own USING NEW;
  END IF;
  IF is_own THEN
    RAISE EXCEPTION 'merchant % is being moved to another cell', TG_ARGV[0] USING ERRCODE = 'MV001';
  END IF;
  RETURN NEW;
END $$;

-- migrate:down
DROP FUNCTION refuse_moving() CASCADE;
DROP TABLE merchant_moves;
