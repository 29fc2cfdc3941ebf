import type { Context } from '../../../platform/context.ts';
import { sharedBatch } from '../../../platform/batch.ts';
import { recordset, run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { beginLast } from '../../../platform/postgres/transactions/pipelined.ts';
import { acquireAll, type AcquireRequest } from '../endpoints/leases/acquire.ts';
import {
  leaseEnd,
  ownerOf,
  withEndpointsLocked,
  type AcquiredEndpoint,
  type EndpointLease,
} from '../endpoints/leases/lease.ts';
import { releaseAll, type Release } from '../endpoints/leases/release.ts';
import { nextFlowControl, type FlowControl } from '../endpoints/flow-control.ts';
import { resultRow, type DeliveryOutcome, type ResultRow } from './in-flight/outcome.ts';

// A success always counts. A failure does not when the run's lease was taken over, or when the delivery was
// dropped or restarted while the request was in flight.
const DECIDES = `(o.status = 'delivered' AND d.status <> 'delivered'
         OR d.status = 'pending' AND d.restarted_after = o.restarted_after AND o.is_owner)`;

/** SQL: the number of the attempt of an outcome `o`. By the primary key of attempts. */
const NUMBER = `(
         SELECT CASE WHEN bool_or(a.number = o.attempts AND a.error_class IS DISTINCT FROM 'interrupted')
           THEN max(a.number) + 1 ELSE o.attempts END
         FROM delivery_attempts a WHERE a.delivery_id = o.delivery_id)`;

// The attempts, the deliveries' states, and the endpoints' flow control, once the endpoints are locked. Every
// request that left is an attempt: an outcome that comes after its attempt was logged as interrupted replaces
// that, and one whose number another request has takes the next. An outcome that does not decide still raises
// the count of attempts, because the next attempt's number must be free.
const record = sql<{ owner: string }, { outcomes: string; endpoints: string }>(
  'record_outcomes_of_endpoints',
  (p) => `
   WITH change AS (
     SELECT * FROM json_to_recordset(${p.endpoints}::json) AS e (
       endpoint_id text, owner text, leased_until timestamptz, concurrency_limit int, failures int,
       circuit_open_until timestamptz, failing_since timestamptz, last_success_at timestamptz,
       last_failure_at timestamptz)
   ),
   outcome AS (
     SELECT o.*, EXISTS (
         SELECT FROM webhook_endpoints w WHERE w.id = o.endpoint_id AND w.leased_by = o.owner) AS is_owner,
       CASE WHEN o.started_at IS NULL THEN o.attempts ELSE ${NUMBER} END AS number
     FROM json_to_recordset(${p.outcomes}::json) AS o (
       endpoint_id text, owner text, now timestamptz,
       delivery_id text, restarted_after int, attempts int, status text, failed_because text,
       url text, remote_address text, started_at timestamptz, duration_ms int, status_code int,
       error_class text, error_detail text, response_excerpt text, next_attempt_at timestamptz)
   ),
   attempt AS (
     INSERT INTO delivery_attempts (delivery_id, number, url, remote_address, started_at, duration_ms,
       status_code, error_class, error_detail, response_excerpt, next_attempt_at)
     SELECT delivery_id, number, url, remote_address, started_at, duration_ms,
       status_code, error_class, error_detail, response_excerpt, next_attempt_at
     FROM outcome WHERE started_at IS NOT NULL
     ON CONFLICT (delivery_id, number) DO UPDATE SET url = excluded.url,
       remote_address = excluded.remote_address, started_at = excluded.started_at,
       duration_ms = excluded.duration_ms, status_code = excluded.status_code,
       error_class = excluded.error_class, error_detail = excluded.error_detail,
       response_excerpt = excluded.response_excerpt, next_attempt_at = excluded.next_attempt_at
       WHERE delivery_attempts.error_class = 'interrupted'
   ),
   delivery AS (
     UPDATE deliveries d SET
       attempts = greatest(d.attempts, o.number),
       status = CASE WHEN ${DECIDES} THEN o.status ELSE d.status END,
       failed_because = CASE WHEN ${DECIDES} THEN o.failed_because ELSE d.failed_because END,
       next_attempt_at = CASE WHEN ${DECIDES} THEN o.next_attempt_at ELSE d.next_attempt_at END,
       finished_at = CASE WHEN NOT ${DECIDES} THEN d.finished_at
         WHEN o.status <> 'pending' THEN o.now END
     FROM outcome o
     WHERE d.id = o.delivery_id AND (${DECIDES} OR d.attempts < o.number)
   )
   UPDATE webhook_endpoints w SET
     leased_until = e.leased_until,
     in_flight = w.in_flight - ARRAY(SELECT delivery_id FROM outcome WHERE outcome.owner = e.owner),
     concurrency_limit = e.concurrency_limit,
     failures = e.failures,
     circuit_open_until = e.circuit_open_until,
     failing_since = e.failing_since,
     last_success_at = coalesce(e.last_success_at, w.last_success_at),
     last_failure_at = coalesce(e.last_failure_at, w.last_failure_at)
   FROM change e WHERE w.id = e.endpoint_id AND w.leased_by = e.owner
   RETURNING e.owner`,
);

interface EndpointChange extends FlowControl {
  readonly endpoint_id: string;
  readonly owner: string;
  readonly leased_until: Date;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
}

/** What follows outcomes in their commit: the endpoint's release, or what is due there next. */
export interface FollowUp {
  readonly release?: Release;
  readonly acquire?: AcquireRequest;
}

/** What follows is decided once they are recorded. */
export const UNDECIDED: FollowUp = {};

interface Recording {
  readonly change: EndpointChange;
  readonly outcomes: readonly OutcomeRow[];
  readonly followUp: FollowUp;
}

const LIMITS = { size: 100, waiting: Infinity };
const recordBatched = sharedBatch(recordAll, LIMITS, ({ change }) => ownerOf(change.endpoint_id));

async function recordAll(
  connection: Connection,
  recordings: readonly Recording[],
): Promise<(Omit<Recorded, 'flowControl'> & { isOwned: boolean })[]> {
  const releases = recordings.flatMap(({ followUp }) => followUp.release ?? []);
  const requests = recordings.flatMap(({ followUp }) => followUp.acquire ?? []);
  const ids = recordings.map(({ change }) => change.endpoint_id);
  const begun = await withEndpointsLocked(connection, ids, async (on) => {
    const owners = await beginLast(on, () =>
      run(on, record, {
        outcomes: recordset(recordings.flatMap(({ outcomes }) => outcomes)),
        endpoints: recordset(recordings.map(({ change }) => change)),
      }),
    );
    const released = releases.length === 0 ? null : await beginLast(on, () => releaseAll(on, releases));
    const acquired = requests.length === 0 ? null : await beginLast(on, () => acquireAll(on, requests));
    return { owners, released, acquired };
  });
  const owning = new Set((await begun.owners.result).map(({ owner }) => owner));
  const released = await begun.released?.result;
  const acquired = await begun.acquired?.result;
  const next = new Map(requests.map(({ owner }, place) => [owner, acquired?.[place] ?? null]));
  return recordings.map(({ change: { owner } }) => ({
    isOwned: owning.has(owner),
    isReleased: released?.has(owner) ?? false,
    next: next.get(owner) ?? null,
  }));
}

export interface Recorded {
  /** The endpoint's new one, null when another run has taken its lease over. */
  readonly flowControl: FlowControl | null;
  readonly isReleased: boolean;
  /** What is due then; null: it was not requested, or another run has taken the lease over. */
  readonly next: AcquiredEndpoint | null;
}

/**
 * Records outcomes and does what follows: an endpoint is released unless its job was scheduled since it was
 * acquired. Runs of one merchant share statements.
 */
export async function recordOutcomes(
  ctx: Context,
  lease: EndpointLease,
  outcomes: readonly DeliveryOutcome[],
  acquired: AcquiredEndpoint,
  followUp: FollowUp,
): Promise<Recorded> {
  const { endpointId, owner } = lease;
  const now = ctx.now();
  const attempts = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
  const succeeded = attempts.filter(({ ok }) => ok).length;
  const failed = attempts.length - succeeded;
  const [firstDelaySeconds = 0] = ctx.config.webhookRetrySeconds;
  const deferredTo = outcomes.flatMap((one) => ('deferredTo' in one ? [one.deferredTo] : [])).at(-1) ?? null;
  const {
    pending_count: pendingCount,
    concurrency_limit,
    failures,
    circuit_open_until,
    failing_since,
  } = acquired;
  const before = { concurrency_limit, failures, circuit_open_until, failing_since };
  const results = { succeeded, failed, deferredTo, pendingCount, now, firstDelaySeconds };
  const after = nextFlowControl(before, results);
  const of = { endpoint_id: endpointId, owner };
  const { isOwned, isReleased, next } = await recordBatched(ctx.db, {
    change: {
      ...of,
      leased_until: leaseEnd(ctx),
      ...after,
      last_success_at: succeeded > 0 ? now : null,
      last_failure_at: failed > 0 ? now : null,
    },
    outcomes: outcomes.map((outcome) => ({ ...of, now, ...resultRow(outcome) })),
    followUp,
  });
  return { flowControl: isOwned ? after : null, isReleased, next };
}

/** An outcome as it travels. */
interface OutcomeRow extends ResultRow {
  readonly endpoint_id: string;
  readonly owner: string;
  readonly now: Date;
}
