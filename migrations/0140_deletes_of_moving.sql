-- What is deleted of a merchant behind the copy would come back in the target, so that is refused as well: a trigger on DELETE has
-- no NEW, but OLD. The triggers of the release before are of this function too, and go on. What only puts rows into another
-- partition says so, and is let through (src/domain/webhooks/deliveries/retention/move-rows.ts).

-- migrate:up
CREATE OR REPLACE FUNCTION refuse_moving() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  touched record;
  is_own boolean := true;
BEGIN
  IF TG_OP = 'DELETE' THEN
    touched := OLD;
  ELSE
    touched := NEW;
  END IF;
  IF coalesce(current_setting('checkout.moving', true), '') IN (TG_ARGV[0], 'to another partition')
    OR NOT EXISTS (SELECT FROM merchant_moves WHERE merchant_id = TG_ARGV[0] AND stopped_until > clock_timestamp())
    OR (TG_TABLE_NAME NOT IN ('payments', 'events') AND starts_with(current_setting('application_name'), 'watcher ')) THEN
    RETURN touched;
  END IF;
  IF TG_ARGV[1] <> '' THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM (SELECT ($1).*) t WHERE %s)', TG_ARGV[1]) INTO is_own USING touched;
  END IF;
  IF is_own THEN
    RAISE EXCEPTION 'merchant % is being moved to another cell', TG_ARGV[0] USING ERRCODE = 'MV001';
  END IF;
  RETURN touched;
END $$;

-- migrate:down
CREATE OR REPLACE FUNCTION refuse_moving() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_own boolean := true;
BEGIN
  IF current_setting('checkout.moving', true) IS NOT DISTINCT FROM TG_ARGV[0]
    OR NOT EXISTS (SELECT FROM merchant_moves WHERE merchant_id = TG_ARGV[0] AND stopped_until > clock_timestamp())
    OR (TG_TABLE_NAME NOT IN ('payments', 'events') AND starts_with(current_setting('application_name'), 'watcher ')) THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  IF TG_ARGV[1] <> '' THEN
    EXECUTE format('SELECT EXISTS (SELECT FROM (SELECT ($1).*) t WHERE %s)', TG_ARGV[1]) INTO is_own USING NEW;
  END IF;
  IF is_own THEN
    RAISE EXCEPTION 'merchant % is being moved to another cell', TG_ARGV[0] USING ERRCODE = 'MV001';
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;
