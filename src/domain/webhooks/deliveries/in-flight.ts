import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { MAX_CONCURRENCY } from '../endpoints/flow-control.ts';
import type { DeliveryOutcome } from './record.ts';

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

interface DueParams {
  readonly endpointId: string;
  readonly paymentIdsInFlight: readonly string[];
  readonly now: Date;
  readonly receiver: string | null;
}

// What `acquireEndpoint` would find; index: deliveries_due. It writes nothing: a lease outlasts the requests
// that began with it.
const isMoreDue = sql<{ is_due: boolean }, DueParams>(
  'is_more_due_at_endpoint',
  (p) => `
   SELECT EXISTS (
     SELECT FROM webhook_endpoints w JOIN merchants m ON m.id = w.merchant_id
       JOIN deliveries d ON d.endpoint_id = w.id
     WHERE w.id = ${p.endpointId} AND (m.webhooks_enabled OR ${p.receiver}::text IS NOT NULL)
       AND (w.circuit_open_until IS NULL OR w.circuit_open_until <= ${p.now})
       AND least(w.concurrency_limit, ${MAX_CONCURRENCY}) > cardinality(${p.paymentIdsInFlight}::text[])
       AND d.status = 'pending' AND d.next_attempt_at <= ${p.now}
       AND d.payment_id <> ALL (${p.paymentIdsInFlight})) AS is_due`,
);

/**
 * Waits until requests end, and returns their outcomes; or, before `endsAt` of `performance.now()`, until
 * more can be sent to the endpoint beside them, and returns none. An endpoint that hangs costs no write
 * meanwhile.
 */
export async function awaitChange(
  ctx: Context,
  endpointId: string,
  inFlight: InFlightDeliveries,
  endsAt: number,
  receiver: string | null,
): Promise<DeliveryOutcome[]> {
  const begunAt = performance.now();
  for (;;) {
    const pollMs = Math.min(MAX_POLL_MS, Math.max(POLL_MS, (performance.now() - begunAt) / 2));
    const outcomes = await inFlight.takeOutcomes(pollMs);
    if (outcomes.length > 0) return outcomes;
    if (performance.now() > endsAt) continue;
    const params = { endpointId, paymentIdsInFlight: inFlight.paymentIds, now: ctx.now(), receiver };
    const [look] = await run(ctx.db, isMoreDue, params);
    if (look?.is_due === true) return [];
  }
}
