import { setImmediate } from 'node:timers/promises';
import type { DeliveryOutcome } from './record.ts';

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
