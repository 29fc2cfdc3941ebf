import { schedule } from '../../../schedule/store.ts';
import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { sharedBatch } from '../../../../platform/batch.ts';
import { recordset, run, runOne, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { beginLast } from '../../../../platform/postgres/transactions/pipelined.ts';
import { deliverWebhook } from '../jobs.ts';
import { ownerOf, withEndpointsLocked, type AcquiredEndpoint, type EndpointLease } from './lease.ts';

/** A release as it travels. */
export interface Release {
  readonly endpoint_id: string;
  readonly owner: string;
  readonly version: number | null;
  readonly circuit_open_until: Date | null;
  readonly clock_offset_ms: number;
  readonly clock_frozen_until: Date | null;
}

// The version closes the race with transactions that add deliveries meanwhile: each schedules the job, which
// increments the version, so an unchanged version means that the read before saw every delivery. This
// statement increments it too, for a run that found the endpoint leased and is about to defer the job to the
// lease's end. The jobs are locked in their order, as schedule() locks them; deliveries may be read beside
// that lock, because the version tells of what was committed during the wait. A job that does not exist has
// no version: the caller has locked the endpoints (lease.ts), so a run that found one leased has left before.
const releaseUnlessRescheduled = sql<{ owner: string }, { releases: string }>(
  'release_endpoints_unless_rescheduled',
  (p) => `
   WITH requested AS (
     SELECT * FROM json_to_recordset(${p.releases}::json) AS a (
       endpoint_id text, owner text, version int, circuit_open_until timestamptz, clock_offset_ms bigint,
       clock_frozen_until timestamptz)
   ),
   locked AS (
     SELECT key, version FROM scheduled_jobs
     WHERE job = '${deliverWebhook.name}' AND key = ANY (ARRAY(SELECT endpoint_id FROM requested))
     ORDER BY key FOR UPDATE
   ),
   next AS (
     SELECT a.*,
       CASE WHEN pending.first IS NOT NULL THEN greatest(pending.first, a.circuit_open_until) END AS at
     FROM requested a CROSS JOIN LATERAL (
       SELECT min(next_attempt_at) AS first FROM deliveries
       WHERE endpoint_id = a.endpoint_id AND status = 'pending') pending
   ),
   rescheduled AS (
     UPDATE scheduled_jobs s SET run_at = next.at, failures = 0, last_error = NULL, version = s.version + 1,
       leased_by = NULL,
       visible_at = greatest(
         next.at - make_interval(secs => next.clock_offset_ms::float8 / 1000),
         next.clock_frozen_until)
     FROM next JOIN locked ON locked.key = next.endpoint_id AND locked.version = next.version
     WHERE s.job = '${deliverWebhook.name}' AND s.key = next.endpoint_id AND next.at IS NOT NULL
     RETURNING s.key
   ),
   finished AS (
     DELETE FROM scheduled_jobs s
     USING next JOIN locked ON locked.key = next.endpoint_id AND locked.version = next.version
     WHERE s.job = '${deliverWebhook.name}' AND s.key = next.endpoint_id AND next.at IS NULL
     RETURNING s.key
   )
   UPDATE webhook_endpoints w SET leased_by = NULL, leased_until = NULL
   FROM requested a
   WHERE w.id = a.endpoint_id AND w.leased_by = a.owner
     AND (w.id IN (SELECT key FROM rescheduled) OR w.id IN (SELECT key FROM finished)
       OR a.version IS NULL AND NOT EXISTS (
         SELECT FROM scheduled_jobs WHERE job = '${deliverWebhook.name}' AND key = w.id))
   RETURNING a.owner`,
);

const LIMITS = { size: 100, waiting: Infinity };
const releaseBatched = sharedBatch(releaseEach, LIMITS, ({ endpoint_id }) => ownerOf(endpoint_id));

async function releaseEach(connection: Connection, releases: readonly Release[]): Promise<boolean[]> {
  const ids = releases.map(({ endpoint_id }) => endpoint_id);
  const begun = await withEndpointsLocked(connection, ids, (on) =>
    beginLast(on, () => releaseAll(on, releases)),
  );
  const released = await begun.result;
  return releases.map(({ owner }) => released.has(owner));
}

/**
 * Like `releaseEndpoint`, for several in one statement; returns the owners of those that are released. The
 * caller has locked the endpoints, in a statement before.
 */
export async function releaseAll(
  connection: Connection,
  releases: readonly Release[],
): Promise<ReadonlySet<string>> {
  const rows = await run(connection, releaseUnlessRescheduled, { releases: recordset(releases) });
  return new Set(rows.map(({ owner }) => owner));
}

/**
 * Releases the endpoint, with its job due when its next delivery is due and its circuit is closed. Returns
 * false, and changes nothing, when the job was scheduled since `acquired` was read: the run must acquire
 * again. Runs of one merchant share statements.
 */
export function releaseEndpoint(
  ctx: Context,
  lease: EndpointLease,
  { version, circuit_open_until }: AcquiredEndpoint,
): Promise<boolean> {
  return releaseBatched(ctx.db, releaseOf(ctx, lease, version, circuit_open_until));
}

/** The release of an endpoint whose job had this version when it was acquired. */
export function releaseOf(
  { testClock }: Pick<Context, 'testClock'>,
  { endpointId, owner }: EndpointLease,
  version: number | null,
  circuit_open_until: Date | null,
): Release {
  return {
    endpoint_id: endpointId,
    owner,
    version,
    circuit_open_until,
    clock_offset_ms: testClock?.offsetMs ?? 0,
    clock_frozen_until: testClock?.frozenUntil ?? null,
  };
}

/** How often the deliveries of a waiting endpoint are read for those that have waited too long. */
const LOOK_SECONDS = 86_400;

// FOR SHARE waits for a PUT that is about to enable webhooks. It may have searched for waiting deliveries
// before one of these was committed: once it has ended, this finds nothing, and the run reads again.
const lockWhileOff = sql<{ id: string }, { merchantId: string }>(
  'lock_merchant_while_webhooks_are_off',
  (p) => `SELECT id FROM merchants WHERE id = ${p.merchantId} AND NOT webhooks_enabled FOR SHARE`,
);
const lockRegistrationWhileOff = sql<{ id: string }, { id: string }>(
  'lock_registration_while_it_is_off',
  (p) => `
   SELECT id FROM endpoint_registrations
   WHERE id = ${p.id} AND NOT is_enabled AND deleted_at IS NULL FOR SHARE`,
);

/**
 * Releases the endpoint as `releaseEndpoint` does. While the merchant has it disabled, its job is put off for
 * a day instead: the PUT that enables it wakes it.
 */
export async function releaseOrWait(
  ctx: Context,
  lease: EndpointLease,
  endpoint: AcquiredEndpoint,
): Promise<boolean> {
  if (!endpoint.is_waiting) return releaseEndpoint(ctx, lease, endpoint);
  const circuit_open_until = addSeconds(ctx.now(), LOOK_SECONDS);
  return ctx.db.transaction(async (tx) => {
    const { merchant_id: merchantId, registration_id: id } = endpoint;
    const locked =
      id === null
        ? await runOne(tx, lockWhileOff, { merchantId })
        : await runOne(tx, lockRegistrationWhileOff, { id });
    return locked !== null && releaseEndpoint({ ...ctx, db: tx }, lease, { ...endpoint, circuit_open_until });
  });
}

const giveUp = sql<never, { endpointId: string; owner: string }>(
  'release_endpoint',
  (p) => `
   UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL
   WHERE id = ${p.endpointId} AND leased_by = ${p.owner}`,
);

/** Releases the endpoint of a merchant although more may be due: its job is due again at once. */
export async function yieldEndpoint(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  merchantId: string,
): Promise<void> {
  // In this order: a job that starts while the endpoint is still leased would be deferred to the lease's end.
  await run(ctx.db, giveUp, { endpointId, owner });
  await schedule(ctx.db, [
    { job: deliverWebhook, key: endpointId, runAt: ctx.now(), testClock: ctx.testClock, merchantId },
  ]);
}
