import { Slots } from '../../../domain/sandbox/budgets/slots.ts';

/** Each may be as slow as its reader, who holds a page in memory, and no connection. */
const MOST = 32;
const MOST_OF_MERCHANT = 2;
/** Pages that are read at once, each on one of the pool's 20 connections: the API keeps the others. */
const READS = { perMerchant: MOST_OF_MERCHANT, perProcess: 4, waiting: MOST_OF_MERCHANT } as const;

/**
 * Bounds how many exports a web process sends at once, and how many of them are one merchant's; and how many
 * read at once. Who reads slowly waits for nothing here, so that two people keep nobody else from a file.
 */
export class ExportSlots {
  readonly #open: string[] = [];
  readonly #reads = new Slots(READS);

  /** Takes a slot, and returns what gives it back, once; null: none is left. */
  take(merchantId: string): (() => void) | null {
    const own = this.#open.filter((one) => one === merchantId);
    if (this.#open.length >= MOST || own.length >= MOST_OF_MERCHANT) return null;
    this.#open.push(merchantId);
    let isTaken = true;
    return () => {
      if (isTaken) this.#open.splice(this.#open.indexOf(merchantId), 1);
      isTaken = false;
    };
  }

  /** Returns the pages of an open export, each of which is read in the merchant's turn. */
  async *inTurn<Page>(merchantId: string, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    const reader = pages[Symbol.asyncIterator]();
    try {
      for (;;) {
        const read = await this.#reads.run(merchantId, () => reader.next());
        if (read.done === true) return;
        yield read.value;
      }
    } finally {
      await reader.return?.();
    }
  }
}
