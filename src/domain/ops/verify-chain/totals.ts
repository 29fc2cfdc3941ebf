import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { add, isZero } from '../../../platform/values/money.ts';
import type { Compared, Place } from './compare.ts';
import type { Witness } from './witness.ts';

/** What a wallet has of a coin on a network, by the ledger and on the chain. */
export interface Total {
  readonly wallet_id: string;
  readonly coin: CoinId;
  /** Addresses with money in the ledger or on the chain. */
  addresses: number;
  ledger: string;
  /** At its addresses; where nobody can tell that, nothing. */
  held: string;
  /** Has left its addresses: flushed, or spent by its owner. */
  left: string;
  untold: string;
  refunded: string;
}

/** What was compared on a network. */
export interface NetworkReport {
  readonly network: NetworkId;
  readonly block: { readonly height: number; readonly hash: string; readonly time: string };
  readonly requests: number;
  readonly totals: readonly Total[];
}

/** Sums by wallet and coin: their size is that of the wallets, not of the payments. */
export class Totals {
  readonly #of = new Map<string, Total>();

  add({ wallet_id, coin, booked, held }: Place, { left, untold }: Pick<Compared, 'left' | 'untold'>): void {
    if (isZero(booked) && isZero(held ?? '0')) return;
    const total = this.#total(wallet_id, coin);
    total.addresses += 1;
    total.ledger = add(total.ledger, booked);
    total.held = add(total.held, held ?? '0');
    total.left = add(total.left, left);
    total.untold = add(total.untold, untold);
  }

  refund(wallet_id: string, coin: CoinId, amount: string): void {
    const total = this.#total(wallet_id, coin);
    total.refunded = add(total.refunded, amount);
  }

  report(network: NetworkId, { block }: Witness, requests: number): NetworkReport {
    const { height, hash, time } = block;
    const totals = [...this.#of.values()].toSorted((a, b) =>
      `${a.wallet_id} ${a.coin}` < `${b.wallet_id} ${b.coin}` ? -1 : 1,
    );
    return { network, block: { height, hash, time: time.toISOString() }, requests, totals };
  }

  #total(wallet_id: string, coin: CoinId): Total {
    const key = `${wallet_id} ${coin}`;
    const none = { ledger: '0', held: '0', left: '0', untold: '0', refunded: '0' };
    const total = this.#of.get(key) ?? { wallet_id, coin, addresses: 0, ...none };
    this.#of.set(key, total);
    return total;
  }
}

/** So many wallets and coins are shown; --json has all of them. */
const SHOWN = 100;

/** The sums for operators, per network. */
export function totalsText(networks: readonly NetworkReport[]): string {
  return networks
    .flatMap(({ network, block, requests, totals }) => [
      `${network}, up to its final block ${block.height} ${block.hash} of ${block.time}: ${requests} requests`,
      ...totals.slice(0, SHOWN).map(totalText),
      ...(totals.length > SHOWN ? [`  ... and ${totals.length - SHOWN} more: --json names them`] : []),
    ])
    .join('\n');
}

function totalText({ wallet_id, coin, addresses, ledger, held, left, untold, refunded }: Total): string {
  const parts = [
    isZero(held) && isZero(left) ? 'each transaction found' : `${held} held, ${left} moved on`,
    ...(isZero(untold) ? [] : [`of which ${untold} has no transaction to look up`]),
    ...(isZero(refunded) ? [] : [`${refunded} paid back`]),
  ];
  return `  ${wallet_id} ${coin.padEnd(5)} ${addresses} addresses, ledger ${ledger}: ${parts.join(', ')}`;
}
