import type { NetworkId } from '../networks.ts';
import type { ChainTransfer } from '../port.ts';
import type { Found, Tracked } from './cursor.ts';

/** A transaction that is in no block for this long was forgotten by the pools: nodes keep one for hours. */
export const EVICTED_AFTER_MS = 24 * 3_600_000;

/** The state of a transfer of which nothing bad is known. */
export const NEW = { lost: null, dropped: null, isSought: false } as const;

/** What identifies a transfer. */
export const keyOf = ({ txHash, coin, address }: Pick<Found, 'txHash' | 'coin' | 'address'>): string =>
  `${txHash} ${coin} ${address}`;

/** What two transactions share of which only one can be mined: an account, and its number for them. */
export const numberOf = ({ from, nonce }: { readonly from: string | null; readonly nonce: number | null }) =>
  `${from} ${nonce}`;

/** True for transfers of one number that pay the same: a wallet's speed-up. */
export const isSameMoney = (a: Found, b: Found): boolean => a.address === b.address && a.coin === b.coin;

/** True while a later block can change what was reported of a transfer. */
export function mayChange(
  { block, lost, dropped, pooledAt }: Tracked,
  finalHeight: number,
  now: Date,
): boolean {
  if (block !== null) return block.height > finalHeight;
  if (dropped === null) return true;
  if (lost !== null) return lost.height > finalHeight;
  return dropped.reason === 'replaced' && now.getTime() - (pooledAt ?? 0) <= EVICTED_AFTER_MS;
}

/** Returns a transfer as the port reports it. */
export function reportOf(network: NetworkId, one: Tracked, finalHeight: number): ChainTransfer {
  const { txHash, coin, address, sender, amount, block, dropped } = one;
  return {
    network,
    txHash,
    coin,
    address,
    sender,
    amount,
    seenAt: new Date(one.seenAt),
    block,
    final: block !== null && block.height <= finalHeight,
    droppedAt: dropped === null ? null : new Date(dropped.at),
    replacedBy: dropped?.by ?? null,
    reason: dropped?.reason ?? null,
  };
}
