import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import { finish, schedule } from '../../schedule/store.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';
import { BACKLOG, MAX_CONCURRENCY, type Throttle } from '../endpoints/throttle.ts';

/** Time beyond an exchange's deadline within which its outcome is surely recorded; after it another run may take the endpoint over. */
const LEASE_MARGIN_SECONDS = 10;

/** A run's hold of an endpoint: nobody else sends to it meanwhile. */
export interface EndpointLease {
  readonly endpointId: string;
  /** Random, so that a run which was overtaken knows it. */
  readonly owner: string;
}

/** A delivery that is due, with what its exchange needs. */
export interface DueDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly payment_id: string;
  readonly attempts: number;
  readonly restarted_after: number;
  readonly body: string;
  /** Null when the merchant has switched webhooks off, or has no URL any more. */
  readonly url: string | null;
}

/** What a run knows of its endpoint, as of one look. */
export interface AcquiredEndpoint {
  readonly merchantId: string;
  readonly throttle: Throttle;
  readonly isDisabled: boolean;
  /** Deliveries that are pending, counted up to BACKLOG. */
  readonly waiting: number;
  /** Sealed, newest first. */
  readonly secrets: readonly { key_id: string; ciphertext: string }[];
  /** How often the endpoint's work had been scheduled when this was read; null: it is not scheduled at all. */
  readonly version: number | null;
  readonly due: readonly DueDelivery[];
  /** More may be due at this moment: beyond the pace, or of payments that have one among these or in flight. */
  readonly hasMore: boolean;
}

type AcquiredRow = {
  readonly merchant_id: string;
  readonly concurrency_limit: number;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly failing_since: Date | null;
  readonly is_disabled: boolean;
  readonly waiting: number;
  readonly secrets: AcquiredEndpoint['secrets'];
  readonly version: number | null;
  readonly has_more: boolean;
} & (DueDelivery | { readonly id: null });

// One statement takes or keeps the hold and reads. Of each payment the event that comes first, oldest deliveries first, and no payment
// that has an exchange in flight. The destination is read anew each time: a merchant who mends the URL mends what waits for it.
const acquireStatement = sql<AcquiredRow>(
  'prepare_deliveries',
  `WITH endpoint AS (
     UPDATE webhook_endpoints SET leased_by = $2, leased_until = $4
     WHERE id = $1 AND (leased_by IS NULL OR leased_by = $2 OR leased_until <= $3)
     RETURNING merchant_id, concurrency_limit, failures, circuit_open_until, failing_since, disabled_at IS NOT NULL AS is_disabled
   ), oldest AS (
     SELECT id, event_id, payment_id, attempts, restarted_after, sequence, next_attempt_at FROM deliveries
     WHERE endpoint_id = $1 AND status = 'pending' AND next_attempt_at <= $5 AND payment_id <> ALL ($6)
       AND EXISTS (SELECT FROM endpoint WHERE circuit_open_until IS NULL OR circuit_open_until <= $5)
     ORDER BY next_attempt_at, id LIMIT 512
   ), due AS (
     SELECT * FROM (SELECT DISTINCT ON (payment_id) * FROM oldest ORDER BY payment_id, sequence) first_of_each
     ORDER BY next_attempt_at, sequence
     LIMIT (SELECT greatest(0, least(concurrency_limit, $7) - cardinality($6)) FROM endpoint)
   )
   SELECT endpoint.*, due.id, due.event_id, due.payment_id, due.attempts, due.restarted_after, e.body,
     coalesce($8, CASE WHEN m.webhooks_enabled AND e.id IS NOT NULL THEN coalesce(e.callback_url, m.webhook_url) END) AS url,
     (SELECT json_agg(json_build_object('key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'base64')) ORDER BY s.created_at DESC)
      FROM webhook_secrets s WHERE s.merchant_id = endpoint.merchant_id AND (s.expires_at IS NULL OR s.expires_at > $3)) AS secrets,
     (SELECT count(*) FROM oldest) > (SELECT count(*) FROM due) AS has_more,
     (SELECT version FROM scheduled_jobs WHERE job = $9 AND key = $1) AS version,
     (SELECT count(*)::int FROM (SELECT FROM deliveries WHERE endpoint_id = $1 AND status = 'pending' LIMIT $10) first_ones) AS waiting
   FROM endpoint JOIN merchants m ON m.id = endpoint.merchant_id LEFT JOIN due ON true LEFT JOIN events e ON e.id = due.event_id
   ORDER BY due.next_attempt_at, due.sequence`,
);

/**
 * Takes the endpoint, or keeps it, and answers what is due there now: as many deliveries as its pace allows beside those of
 * `paymentsInFlight`. Null when another run holds it. `receiver` takes every event where it is not null.
 */
export async function acquireEndpoint(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  paymentsInFlight: readonly string[],
  receiver: string | null,
): Promise<AcquiredEndpoint | null> {
  const systemNow = ctx.systemNow();
  const rows = await run(ctx.db, acquireStatement, [
    endpointId,
    owner,
    systemNow,
    leaseEnd(ctx),
    ctx.now(),
    paymentsInFlight,
    MAX_CONCURRENCY,
    receiver,
    deliverWebhook.name,
    BACKLOG,
  ]);
  const [first] = rows;
  if (first === undefined) return null;
  return {
    merchantId: first.merchant_id,
    throttle: {
      concurrencyLimit: first.concurrency_limit,
      failures: first.failures,
      circuitOpenUntil: first.circuit_open_until,
      failingSince: first.failing_since,
    },
    isDisabled: first.is_disabled,
    waiting: first.waiting,
    secrets: first.secrets,
    version: first.version,
    hasMore: first.has_more || paymentsInFlight.length > 0,
    due: rows.filter((row): row is AcquiredRow & DueDelivery => row.id !== null),
  };
}

/** Until when a hold lasts that is taken or kept now. */
export function leaseEnd(ctx: Context): Date {
  return addSeconds(ctx.systemNow(), ctx.config.webhookTimeoutSeconds + LEASE_MARGIN_SECONDS);
}

// The version, because the holder may leave, and more be scheduled, between this statement's look and its write.
const waitForOwner = sql<{ id: string }>(
  'wait_for_holder',
  `WITH seen AS MATERIALIZED (
     SELECT w.version, e.leased_until FROM webhook_endpoints e JOIN scheduled_jobs w ON w.job = $2 AND w.key = e.id
     WHERE e.id = $1 AND e.leased_until IS NOT NULL
   ), waiting AS (
     UPDATE scheduled_jobs SET visible_at = seen.leased_until FROM seen WHERE job = $2 AND key = $1 AND scheduled_jobs.version = seen.version
   )
   SELECT id FROM webhook_endpoints WHERE id = $1`,
);

// Deliveries without their endpoint: it was swept, because it was idle for long, while they came to be.
const restoreEndpoint = sql<{ id: string }>(
  'restore_endpoint',
  `INSERT INTO webhook_endpoints (id, merchant_id)
   SELECT endpoint_id, merchant_id FROM deliveries WHERE endpoint_id = $1 AND status = 'pending' LIMIT 1
   ON CONFLICT DO NOTHING RETURNING id`,
);

/**
 * Leaves the work to the run that holds the endpoint, which looks again before it leaves; should it die, the work is visible when its
 * hold ends. The work of an endpoint that is gone is dropped, unless something waits for it.
 */
export async function deferToOwner(ctx: Context, endpointId: string): Promise<void> {
  if ((await runOne(ctx.db, waitForOwner, [endpointId, deliverWebhook.name])) !== null) return;
  const now = ctx.now();
  const restored = await runOne(ctx.db, restoreEndpoint, [endpointId]);
  if (restored === null) await finish(ctx.db, deliverWebhook, [endpointId], now);
  else
    await schedule(ctx.db, [{ job: deliverWebhook, key: endpointId, runAt: now, testClock: ctx.testClock }]);
}
