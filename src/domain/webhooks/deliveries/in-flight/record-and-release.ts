import type { Context } from '../../../../platform/context.ts';
import { together } from '../../../../platform/postgres/together.ts';
import type { FlowControl } from '../../endpoints/flow-control.ts';
import type { AcquiredEndpoint, EndpointLease } from '../../endpoints/leases/lease.ts';
import { releaseEndpoint } from '../../endpoints/leases/release.ts';
import type { InFlightDeliveries } from './await-change.ts';
import type { DeliveryOutcome } from './outcome.ts';

/** What a run knows when requests have ended. */
interface Ended {
  readonly endpoint: AcquiredEndpoint;
  readonly outcomes: readonly DeliveryOutcome[];
  readonly inFlight: InFlightDeliveries;
  /** Records the outcomes, and returns the new flow control; null: the lease is another run's. */
  readonly record: () => Promise<FlowControl | null>;
}

/** The new flow control, null when another run has taken the lease over; and whether the run is over. */
export interface Recorded {
  readonly flowControl: FlowControl | null;
  readonly isReleased: boolean;
}

/**
 * Records outcomes and, where nothing is to be decided in between, releases the endpoint together with that:
 * all was delivered, nothing more is due, and no other run can have taken the lease over, because the test
 * clock is frozen.
 */
export async function recordAndRelease(
  ctx: Context,
  lease: EndpointLease,
  { endpoint, outcomes, inFlight, record }: Ended,
): Promise<Recorded> {
  const { hasMore, isWaiting, flowControl: before } = endpoint;
  const isFrozen = ctx.testClock !== null && ctx.testClock.frozenUntil !== null;
  const isLast = isFrozen && inFlight.isEmpty && !hasMore && !isWaiting && outcomes.every(isDelivered);
  if (!isLast) return { flowControl: await record(), isReleased: false };
  // As a success leaves it.
  const closed = { ...endpoint, flowControl: { ...before, circuitOpenUntil: null } };
  const [flowControl, isReleased] = await together(ctx.db, record, () => releaseEndpoint(ctx, lease, closed));
  return { flowControl, isReleased };
}

const isDelivered = (outcome: DeliveryOutcome): boolean => 'result' in outcome && outcome.result.ok;
