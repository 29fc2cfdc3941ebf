import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { ApiError } from '../../api/errors.ts';
import { openWalletFor } from './open.ts';
import { takeDepositIndices } from './store.ts';

/** Indices that a process takes at once: the gaps that it leaves when it ends are at most twice as many. */
const BATCH = 10;
/** With so few addresses left, the next are derived: a merchant's creations of a moment find one ready. */
const LOW = 5;

/** An address of a wallet, for one payment. */
export interface DerivedAddress {
  readonly address: string;
  readonly index: number;
}

/**
 * The next addresses of a wallet, taken and derived ahead of the requests that use them: a round trip and a
 * millisecond each are paid beside them.
 */
export class AddressPool {
  readonly #id: string;
  readonly #ready: DerivedAddress[] = [];
  #filling: Promise<void> | null = null;

  constructor(walletId: string) {
    this.#id = walletId;
  }

  /**
   * Returns an address that nobody else gets: at once where one is ready. Throws ApiError network_unavailable
   * where the wallet is not in use, or is refused.
   */
  async take(ctx: Pick<Context, 'db' | 'config' | 'log'>): Promise<DerivedAddress> {
    for (;;) {
      const next = this.#ready.shift();
      if (this.#ready.length < LOW) this.#fill(ctx);
      if (next !== undefined) return next;
      await this.#filling;
    }
  }

  /** Whoever waits for it gets its fault; else it is tried again with the next address. */
  #fill(ctx: Pick<Context, 'db' | 'config' | 'log'>): void {
    if (this.#filling !== null) return;
    this.#filling = this.#derive(ctx).finally(() => (this.#filling = null));
    this.#filling.catch((error: unknown) => {
      ctx.log.warn('no addresses derived ahead: the next live payment waits for one', {
        wallet_id: this.#id,
        error: messageOf(error),
      });
    });
  }

  async #derive(ctx: Pick<Context, 'db' | 'config' | 'log'>): Promise<void> {
    const row = await takeDepositIndices(ctx.db, this.#id, BATCH);
    if (row === null)
      throw new ApiError('network_unavailable', {
        message: 'network_unavailable: the wallet for live payments was retired. Try again in 10 s.',
      });
    // Again with each batch: the row may have been changed since.
    const wallet = openWalletFor(ctx, row);
    for (let index = row.next_index - BATCH; index < row.next_index; index += 1) {
      this.#ready.push({ index, address: wallet.addressAt(index) });
      // Requests run between two derivations.
      await nextTurn();
    }
  }
}
