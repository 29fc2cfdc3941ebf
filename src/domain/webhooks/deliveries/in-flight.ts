import { setImmediate } from 'node:timers/promises';
import type { Outcome } from './record.ts';

/** The exchanges of one run that are under way: at most one of a payment. */
export class InFlight {
  readonly #payments = new Set<string>();
  #ended: Outcome[] = [];
  #fault: { readonly error: unknown } | null = null;
  #wake: () => void = () => undefined;

  /** The payments with an exchange in flight, or with one whose outcome was not taken yet. */
  get payments(): string[] {
    return [...this.#payments];
  }

  get isEmpty(): boolean {
    return this.#payments.size === 0;
  }

  add(paymentId: string, exchange: Promise<Outcome>): void {
    this.#payments.add(paymentId);
    exchange
      .then(
        (outcome) => void this.#ended.push(outcome),
        (error: unknown) => void (this.#fault ??= { error }),
      )
      .finally(() => this.#wake());
  }

  /** Waits for the first end, though not for longer than `withinMs`, and takes all outcomes that are there then. Throws what one threw. */
  async take(withinMs: number): Promise<Outcome[]> {
    if (this.#ended.length === 0 && this.#fault === null)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    // Exchanges that end in the same turn of the event loop are recorded together.
    await setImmediate();
    if (this.#fault !== null) throw this.#fault.error;
    const outcomes = this.#ended;
    this.#ended = [];
    for (const { delivery } of outcomes) this.#payments.delete(delivery.payment_id);
    return outcomes;
  }
}
