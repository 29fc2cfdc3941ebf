import type { RequestOptions } from '../http/options.ts';
import { itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type { ListWallets, Wallet, WalletList } from '../types/wallets.ts';

/** Where the money of live payments goes. Your operator sets wallets: no request can. */
export class Wallets {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** One page, newest first. */
  list(query?: ListWallets, options?: RequestOptions): Promise<WalletList> {
    return this.#send({ method: 'GET', path: '/v1/wallets', query }, options);
  }

  /** Every wallet, newest first. */
  all(options?: RequestOptions): AsyncGenerator<Wallet, void, undefined> {
    return itemsOf((cursor) => this.list({ cursor }, options));
  }
}
