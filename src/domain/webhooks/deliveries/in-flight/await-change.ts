import { setImmediate } from 'node:timers/promises';
import { sharedBatch } from '../../../../platform/batch.ts';
import type { Context } from '../../../../platform/context.ts';
import { recordset, run, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { IS_ON, REGISTRATION } from '../../endpoints/destination.ts';
import { MAX_CONCURRENCY } from '../../endpoints/flow-control.ts';
import { ownerOf } from '../../endpoints/leases/lease.ts';
import type { DeliveryOutcome } from './outcome.ts';

/**
 * How often a run looks for new deliveries while its requests are slow: less often the longer nothing ends,
 * down to once in MAX_POLL_MS.
 */
const POLL_MS = 250;
const MAX_POLL_MS = 1_000;

/** The deliveries of one run whose requests are in flight: at most one of a payment. */
export class InFlightDeliveries {
  readonly #payments = new Set<string>();
  #ended: DeliveryOutcome[] = [];
  #failure: { readonly error: unknown } | null = null;
  #wake: () => void = () => undefined;

  /** The payments with a request in flight, or with an outcome that was not taken yet. */
  get paymentIds(): string[] {
    return [...this.#payments];
  }

  get isEmpty(): boolean {
    return this.#payments.size === 0;
  }

  add(paymentId: string, outcome: Promise<DeliveryOutcome>): void {
    this.#payments.add(paymentId);
    outcome
      .then(
        (ended) => void this.#ended.push(ended),
        (error: unknown) => void (this.#failure ??= { error }),
      )
      .finally(() => this.#wake());
  }

  /**
   * Waits for the first outcome, at most `withinMs`, and takes all outcomes that are there then. Throws the
   * error of a delivery that threw one.
   */
  async takeOutcomes(withinMs: number): Promise<DeliveryOutcome[]> {
    if (this.#ended.length === 0 && this.#failure === null)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    // Requests that end in the same turn of the event loop are recorded together.
    await setImmediate();
    if (this.#failure !== null) throw this.#failure.error;
    const outcomes = this.#ended;
    this.#ended = [];
    for (const { delivery } of outcomes) this.#payments.delete(delivery.payment_id);
    return outcomes;
  }
}

/**
 * Waits until requests end, and returns their outcomes; or, before `endsAt` of `performance.now()`, until
 * more can be sent to the endpoint beside them, and returns none. An endpoint that hangs costs no write
 * meanwhile.
 */
export async function awaitChange(
  ctx: Context,
  { endpointId, receiver }: { endpointId: string; receiver: string | null },
  inFlight: InFlightDeliveries,
  endsAt: number,
): Promise<DeliveryOutcome[]> {
  const begunAt = performance.now();
  for (;;) {
    const outcomes = await inFlight.takeOutcomes(untilNextPoll(begunAt, performance.now()));
    if (outcomes.length > 0) return outcomes;
    if (performance.now() > endsAt) continue;
    const poll = { endpoint_id: endpointId, in_flight: inFlight.paymentIds, due_at: ctx.now() };
    if (await isMoreDue(ctx.db, { ...poll, is_overridden: receiver !== null })) return [];
  }
}

/** All runs of a process poll at the same moments, so that they share a statement. */
function untilNextPoll(begunAt: number, now: number): number {
  const pollMs = Math.min(MAX_POLL_MS, Math.max(POLL_MS, (now - begunAt) / 2));
  return Math.round((now + pollMs) / POLL_MS) * POLL_MS - now;
}

/** What a run polls for while its requests are slow, as it travels. */
export interface Poll {
  readonly endpoint_id: string;
  /** The payments with a request in flight. */
  readonly in_flight: readonly string[];
  readonly due_at: Date;
  /** Whether every event goes to one receiver, whatever the merchant's endpoints. */
  readonly is_overridden: boolean;
}

// What `acquireEndpoint` would find; index: deliveries_due. It writes nothing: a lease outlasts the requests
// that began with it. LATERAL with LIMIT, so that each poll reads one row by the index: as EXISTS its plan
// depended on statistics. It could read all that waits for its retry, and in some runs beside 50,000
// endpoints a statement took 145 to 200 ms instead of 0.7.
const findMoreDue = sql<{ place: number }, { polls: string }>(
  'find_endpoints_with_more_due',
  (p) => `
   SELECT l.place
   FROM json_to_recordset(${p.polls}::json) AS l (
       place int, endpoint_id text, in_flight text[], due_at timestamptz, is_overridden boolean)
     JOIN webhook_endpoints o ON o.id = l.endpoint_id
     JOIN merchants m ON m.id = o.merchant_id ${REGISTRATION}
     CROSS JOIN LATERAL (
       SELECT FROM deliveries d
       WHERE d.endpoint_id = o.id AND d.status = 'pending' AND d.next_attempt_at <= l.due_at
         AND d.payment_id <> ALL (l.in_flight)
       ORDER BY d.next_attempt_at LIMIT 1) due
   WHERE (${IS_ON} OR l.is_overridden)
     AND (o.circuit_open_until IS NULL OR o.circuit_open_until <= l.due_at)
     AND least(o.concurrency_limit, ${MAX_CONCURRENCY}) > cardinality(l.in_flight)`,
);

const LIMITS = { size: 500, waiting: Infinity };

/**
 * Returns whether more can be sent to the endpoint beside what is in flight. Polls of one merchant share
 * statements: it may have hundreds of endpoints that hang, and a statement for each would take more of the
 * worker's time than all deliveries of the others.
 */
export const isMoreDue = sharedBatch(pollAll, LIMITS, ({ endpoint_id }) => ownerOf(endpoint_id));

async function pollAll(db: Connection, polls: readonly Poll[]): Promise<readonly boolean[]> {
  const numbered = polls.map((poll, place) => ({ ...poll, place }));
  const found = await run(db, findMoreDue, { polls: recordset(numbered) });
  const places = new Set(found.map(({ place }) => place));
  return polls.map((_, place) => places.has(place));
}
