import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../../../platform/context.ts';
import { isMoreDue, type Poll } from './polls.ts';
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
  at: Pick<Poll, 'endpointId' | 'receiver'>,
  inFlight: InFlightDeliveries,
  endsAt: number,
): Promise<DeliveryOutcome[]> {
  const begunAt = performance.now();
  for (;;) {
    const outcomes = await inFlight.takeOutcomes(untilNextPoll(begunAt, performance.now()));
    if (outcomes.length > 0) return outcomes;
    if (performance.now() > endsAt) continue;
    const poll = { ...at, paymentIdsInFlight: inFlight.paymentIds, now: ctx.now() };
    if (await isMoreDue(ctx.db, poll)) return [];
  }
}

/** All runs of a process poll at the same moments, so that they share a statement. */
function untilNextPoll(begunAt: number, now: number): number {
  const pollMs = Math.min(MAX_POLL_MS, Math.max(POLL_MS, (now - begunAt) / 2));
  return Math.round((now + pollMs) / POLL_MS) * POLL_MS - now;
}
