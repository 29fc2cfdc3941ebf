import { sharedBatch } from '../../../../platform/batch.ts';
import type { Context } from '../../../../platform/context.ts';
import { groupBy, recordset, run, type Connection } from '../../../../platform/postgres/db.ts';
import { beginLast } from '../../../../platform/postgres/transactions/pipelined.ts';
import { acquire, type AcquiredRow, type AcquireRequest } from './acquire-statement.ts';
import { leaseEnd, ownerOf, type AcquiredEndpoint, type DueDelivery, type EndpointLease } from './lease.ts';
import { withEndpointsLocked } from './lock.ts';

/** The most endpoints that one statement acquires; a run that waits for it holds a slot of deliveries. */
const LIMITS = { size: 100, waiting: Infinity };
const acquireBatched = sharedBatch(lockAndAcquire, LIMITS, ({ endpoint_id }) => ownerOf(endpoint_id));

async function lockAndAcquire(
  connection: Connection,
  requests: readonly AcquireRequest[],
): Promise<(AcquiredEndpoint | null)[]> {
  const ids = requests.map(({ endpoint_id }) => endpoint_id);
  const begun = await withEndpointsLocked(connection, ids, (on) =>
    beginLast(on, () => acquireAll(on, requests)),
  );
  return begun.result;
}

/**
 * Like `acquireEndpoint`, for several in one statement, in the order of `requests`. The caller has locked the
 * endpoints, in a statement before.
 */
export async function acquireAll(
  connection: Connection,
  requests: readonly AcquireRequest[],
): Promise<(AcquiredEndpoint | null)[]> {
  const rows = groupBy(
    await run(connection, acquire, { requests: recordset(requests) }),
    ({ owner }) => owner,
  );
  return requests.map((request) => acquiredOf(rows.get(request.owner) ?? [], request));
}

/**
 * Takes or renews the endpoint's lease and returns what is due there now: as many deliveries as its
 * concurrency limit allows beside those of `paymentIdsInFlight`. Returns null when another run holds the
 * lease. Every event goes to `receiver` where it is not null. Runs of one merchant share statements.
 */
export async function acquireEndpoint(
  ctx: Context,
  lease: EndpointLease,
  paymentIdsInFlight: readonly string[],
  receiver: string | null,
): Promise<AcquiredEndpoint | null> {
  return acquireBatched(ctx.db, acquireRequestOf(ctx, lease, paymentIdsInFlight, receiver));
}

/** The request of `acquireEndpoint`. */
export function acquireRequestOf(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  paymentIdsInFlight: readonly string[],
  receiver: string | null,
): AcquireRequest {
  return {
    endpoint_id: endpointId,
    owner,
    system_now: ctx.systemNow(),
    lease_end: leaseEnd(ctx),
    now: ctx.now(),
    in_flight: paymentIdsInFlight,
    receiver,
  };
}

function acquiredOf(rows: readonly AcquiredRow[], { in_flight }: AcquireRequest): AcquiredEndpoint | null {
  const [first] = rows;
  if (first === undefined) return null;
  const due = rows.filter((row): row is AcquiredRow & DueDelivery => row.id !== null);
  return {
    merchantId: first.merchant_id,
    flowControl: {
      concurrencyLimit: first.concurrency_limit,
      failures: first.failures,
      circuitOpenUntil: first.circuit_open_until,
      failingSince: first.failing_since,
    },
    isDisabled: first.is_disabled,
    isWaiting: first.is_waiting,
    hasInterrupted: first.has_interrupted,
    pendingCount: first.pending_count,
    secrets: first.secrets ?? [],
    signingKeys: first.signing_keys ?? [],
    registrationId: first.registration_id,
    payload: first.payload ?? 'full',
    version: first.version,
    hasMore: (first.candidates ?? 0) > due.length || in_flight.length > 0,
    due,
  };
}
