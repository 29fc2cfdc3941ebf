/** Each reads a page at a time on one of the pool's 20 connections: the API keeps the others. */
const MOST = 4;
const MOST_OF_MERCHANT = 2;

/** Bounds how many exports a web process sends at once, and how many of them are one merchant's. */
export class ExportSlots {
  readonly #open: string[] = [];

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
}
