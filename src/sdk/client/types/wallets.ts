// Written by `npm run types:sdk`, from the schemas of the service.

import type { CursorPagination } from './deliveries.ts';
import type { Network } from './sandbox.ts';

export interface ListWallets {
  /** How many a page holds at most. */
  limit?: number | undefined;
  /** next_cursor of the page before. */
  cursor?: string | undefined;
}

export interface Wallet {
  /** Wallet identifier. */
  id: string;
  /**
   * xpub: addresses are children of an extended public key, on Bitcoin those of BIP84. forwarder:
   * each is a contract that can pay the treasury alone, and that nobody has audited.
   */
  kind: 'xpub' | 'forwarder';
  /**
   * pending: its addresses are not confirmed yet. in_use: new live payments go there. retired: they
   * no longer do; money that comes to its addresses is still seen. refused: it is not as the operator
   * stored it, and live payments that need it get 503.
   */
  state: 'pending' | 'in_use' | 'retired' | 'refused';
  /** Where it takes money. */
  networks: readonly Network[];
  /** Money passes a contract that nobody has audited. */
  unaudited: boolean;
  /** The extended public key, shortened to what distinguishes it; null: the kind has none. */
  public_key: string | null;
  /** The address that forwarders pay; null: the kind has none. */
  treasury: string | null;
  /** When it was set. */
  created_at: string;
  /** When its addresses were confirmed; null: they were not. */
  confirmed_at: string | null;
  /** Null: it is not retired. */
  retired_at: string | null;
}

export interface WalletList {
  /** The rows of the page. */
  data: readonly Wallet[];
  /** Where the page ends, and the next begins. */
  pagination: CursorPagination;
}
