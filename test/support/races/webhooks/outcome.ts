import { createHandlers } from '../../../../src/background/workers.ts';
import { dispatchEvent } from '../../../../src/domain/outbox/jobs.ts';
import { deliverWebhook } from '../../../../src/domain/webhooks/endpoints/jobs.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { run, sql, type Db } from '../../../../src/platform/postgres/db.ts';
import type { Harness } from '../../harness.ts';
import { leaseAll } from '../../lease.ts';
import { at } from '../actors.ts';
import type { SideEffects } from '../side-effects.ts';
import type { RacedWebhooks } from './actors.ts';

const JOBS = new Set([dispatchEvent, deliverWebhook].map(({ name }) => name));

/** Else a deletion of what is in use would be found only where that is missed. */
const GUARDS = `
  CREATE FUNCTION refuse_to_delete_what_is_in_use() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('application_name') NOT LIKE '% racer' THEN RETURN OLD; END IF;
    IF TG_TABLE_NAME = 'webhook_endpoints' THEN
      IF OLD.leased_by IS NOT NULL THEN RAISE 'a leased endpoint is deleted'; END IF;
    ELSIF EXISTS (SELECT FROM deliveries WHERE event_id = OLD.id AND status = 'pending') THEN
      RAISE 'the event of a pending delivery is deleted';
    END IF;
    RETURN OLD;
  END $$;
  CREATE TRIGGER guard BEFORE DELETE ON webhook_endpoints
    FOR EACH ROW EXECUTE FUNCTION refuse_to_delete_what_is_in_use();
  CREATE TRIGGER guard BEFORE DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION refuse_to_delete_what_is_in_use();`;

/** Makes the database of the races refuse to delete what is in use. */
export async function guardWhatIsInUse(db: Db): Promise<void> {
  await db.raw(GUARDS);
}

const leased = sql<{ id: string }>(
  'test_leased_endpoints',
  'SELECT id FROM webhook_endpoints WHERE leased_by IS NOT NULL',
);

interface SentRow {
  readonly event_id: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly asked: number;
  readonly is_reset: boolean;
}

const sent = sql<SentRow, { now: Date }>(
  'test_sent_in_race',
  (p) => `
   SELECT d.event_id, d.type, d.status,
     (SELECT count(*)::int FROM delivery_attempts WHERE delivery_id = d.id) AS attempts,
     (SELECT count(*)::int FROM redelivery_requests r WHERE r.event_id = d.event_id) AS asked,
     EXISTS (SELECT FROM webhook_endpoints o WHERE o.id = d.endpoint_id AND o.reset_at = ${p.now}) AS is_reset
   FROM deliveries d ORDER BY d.type, d.status`,
);

const outcome = sql<{ outcome: string }>(
  'test_outcome_of_webhook_race',
  `SELECT jsonb_build_object(
     'payments', (SELECT array_agg(status ORDER BY id) FROM payments),
     'events', (SELECT array_agg(type ORDER BY payment_id, sequence) FROM events),
     'url', (SELECT array_agg(webhook_url) FROM merchants),
     'secrets', (SELECT count(*) FROM webhook_secrets)
   )::text AS outcome`,
);

/**
 * Dispatches and delivers what is due, and returns what webhooks have become. Throws where a run kept its
 * lease, where the log and the requests that left are not the same, where an event that was delivered did not
 * leave, and where one left again although nobody asked for that and no lease was ended.
 */
export async function outcomeOfWebhooks(
  { ctx, adapters }: Pick<Harness, 'ctx' | 'adapters'>,
  payment: RacedWebhooks,
  effects: SideEffects,
): Promise<string> {
  const kept = await run(ctx.db, leased, []);
  if (kept.length > 0) throw new Error('an endpoint is leased, and no run goes on');
  // Later than what a redelivery spreads.
  const time = addSeconds(payment.now > payment.deadline ? payment.now : payment.deadline, 10);
  const handlers = createHandlers(adapters);
  for (;;) {
    const due = await leaseAll(ctx.db, time, addSeconds(time, 0.001), JOBS);
    if (due.length === 0) break;
    for (const { job, key } of due) await handlers.get(job)?.handle(at(ctx, time), [key]);
  }
  const rows = await run(ctx.db, sent, { now: payment.now });
  const faults = rows.flatMap((row) => faultsOf(row, payment, effects.events));
  if (faults.length > 0) throw new Error(faults.join('; '));
  const [row] = await run(ctx.db, outcome, []);
  return `${row?.outcome} ${rows.map(({ type, status }) => `${type} ${status}`).join()}`;
}

function faultsOf(row: SentRow, { ended }: RacedWebhooks, events: readonly string[]): string[] {
  const { event_id, type, status, attempts, asked, is_reset } = row;
  const before = ended.get(event_id);
  const left = (before ?? 0) + events.filter((id) => id === event_id).length;
  // Whoever sets the URL ends the lease of a run, and what is in flight is sent again.
  const most = (before ?? 1) + asked + Number(is_reset);
  const faults: string[] = [];
  if (left !== attempts) faults.push(`${type} was sent ${left} times, and its log has ${attempts}`);
  if (left > most) faults.push(`${type} was sent ${left} times instead of ${most} at most`);
  if (status === 'delivered' && left === 0) faults.push(`${type} is delivered, and was never sent`);
  return faults;
}
