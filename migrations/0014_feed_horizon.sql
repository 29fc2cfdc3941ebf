-- The feed may pass the number of an open transaction that has not written an event yet
-- (src/domain/events/horizon.ts), because an event takes at least the number of the newest transaction that had
-- ended when its transaction held its lock on events. A trigger, so that the previous release's writers do so
-- too. VOLATILE: each expression has a new snapshot, which is younger than the lock.

-- migrate:up
CREATE FUNCTION events_after_lock() RETURNS trigger LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  NEW.txid := greatest(
    NEW.txid, (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
  RETURN NEW;
END $$;
CREATE TRIGGER events_after_lock BEFORE INSERT ON events
  FOR EACH ROW EXECUTE FUNCTION events_after_lock();

-- migrate:down
DROP TRIGGER events_after_lock ON events;
DROP FUNCTION events_after_lock();
