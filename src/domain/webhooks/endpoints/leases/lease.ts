import { randomUUID } from 'node:crypto';
import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { run, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { transact } from '../../../../platform/postgres/transactions/transact.ts';
import type { EncodedSecret } from '../../secrets/store.ts';
import type { FlowControl } from '../flow-control.ts';
import type { Payload } from '../registration.ts';

/** Time to record a request's outcome after its deadline. Only then may another run acquire the endpoint. */
const LEASE_MARGIN_SECONDS = 10;

/** A run's lease of an endpoint: no other run sends to it meanwhile. */
export interface EndpointLease {
  readonly endpointId: string;
  /** Names the worker, and is of this run alone: one whose lease another run took over notices it. */
  readonly owner: string;
}

export function newLease({ worker }: Pick<Context, 'worker'>, endpointId: string): EndpointLease {
  return { endpointId, owner: `${worker ?? ''}:${randomUUID()}` };
}

/**
 * Runs of one merchant share statements, and so use few connections: hundreds of requests to hanging
 * receivers that end at the same moment leave the others to everybody else. Endpoints' ids begin with their
 * merchant's, or the isolated payment's.
 */
export function ownerOf(endpointId: string): string {
  const [owner = ''] = endpointId.split(' ', 1);
  return owner;
}

/** A delivery that is due, with what its request needs. */
export interface DueDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly payment_id: string;
  readonly attempts: number;
  readonly restarted_after: number;
  readonly type: string;
  readonly body: string;
  /** Null when the merchant has disabled the endpoint, or has no URL any more. */
  readonly url: string | null;
  readonly traceparent: string | null;
}

/** The state of an acquired endpoint, as of one read. */
export interface AcquiredEndpoint extends FlowControl {
  readonly owner: string;
  readonly merchant_id: string;
  readonly is_disabled: boolean;
  /** The merchant has disabled the endpoint: deliveries wait until it is enabled again (`releaseOrWait`). */
  readonly is_waiting: boolean;
  /** An earlier run sent something and recorded no outcome of it, because it died: see recordInterrupted. */
  readonly has_interrupted: boolean;
  /** Pending deliveries, counted up to BACKLOG_THRESHOLD. */
  readonly pending_count: number;
  /** Of the endpoint, encrypted, in base64, newest first. */
  readonly secrets: readonly EncodedSecret[];
  /** The merchant's private keys for ed25519, in the same form; most have none. */
  readonly signing_keys: readonly EncodedSecret[];
  /** The registration of an endpoint that the merchant registered, whose secrets these are; else null. */
  readonly registration_id: string | null;
  /** Whether events are sent whole, or as a notice with a link. */
  readonly payload: Payload;
  /** How often the endpoint's job had been scheduled at this read; null: it is not scheduled. */
  readonly version: number | null;
  readonly due: readonly DueDelivery[];
  /**
   * More may be due now: beyond the concurrency limit, or of payments that have a delivery among `due` or in
   * flight.
   */
  readonly has_more: boolean;
}

/** When a lease ends that is taken or renewed now. */
export function leaseEnd(ctx: Context): Date {
  return addSeconds(ctx.systemNow(), ctx.config.webhookTimeoutSeconds + LEASE_MARGIN_SECONDS);
}

// It returns no column, so that it shares a round trip with the statement that follows (transact.ts). All
// take endpoints in the order of their ids, and before the jobs of endpoints: two that share some never wait
// for each other for ever.
const lockEndpoints = sql<never, { endpointIds: readonly string[] }>(
  'lock_webhook_endpoints',
  (p) => `
   SELECT FROM webhook_endpoints WHERE id = ANY (${p.endpointIds}) ORDER BY id FOR NO KEY UPDATE`,
);

/**
 * Does `work` in one transaction that has locked endpoints, or in the transaction that `connection` is. The
 * statements of `work` begin once the locks are held: one that waits for a lock itself reads all else as it
 * was before it waited, and a run would send again what another has just delivered.
 */
export async function withEndpointsLocked<Result>(
  connection: Connection,
  endpointIds: readonly string[],
  work: (on: Connection) => Promise<Result>,
): Promise<Result> {
  const locked = async (on: Connection) => {
    await run(on, lockEndpoints, { endpointIds });
    return work(on);
  };
  return 'isCompleted' in connection ? locked(connection) : transact(connection, locked);
}

interface EndedLeases {
  readonly endpointIds: readonly string[];
  readonly worker: string;
  readonly systemNow: Date;
}

// Sorted, as all who lock endpoints.
const endLeases = sql<never, EndedLeases>(
  'end_leases_of_worker',
  (p) => `
   UPDATE webhook_endpoints SET leased_until = ${p.systemNow}
   WHERE id = ANY (ARRAY(
     SELECT id FROM webhook_endpoints
     WHERE id = ANY (${p.endpointIds}) AND split_part(leased_by, ':', 1) = ${p.worker}
       AND leased_until > ${p.systemNow}
     ORDER BY id FOR NO KEY UPDATE
   ))`,
);

/** Ends the leases of endpoints that runs of a worker hold that is gone: the next run acquires them. */
export async function endLeasesOf(connection: Connection, params: EndedLeases): Promise<void> {
  if (params.endpointIds.length > 0) await run(connection, endLeases, params);
}
