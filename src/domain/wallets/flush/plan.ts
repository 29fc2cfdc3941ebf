import { groupBy } from '../../../platform/postgres/db.ts';
import { compare, divide, multiply, sum } from '../../../platform/values/money.ts';
import { flushCall, flushInput, type Group } from './encode.ts';
import type { Deposit } from './look.ts';

/** EIP-3860: the code that creates a contract, arguments included. */
const MOST_BYTES = 49_152;
/** EIP-7825: no transaction may have more gas. */
const MOST_GAS = 2n ** 24n;
/** A flush is no more than this share of a block: a fuller one waits for a block that is nearly empty. */
const BLOCK_SHARE = 3n;

/**
 * What one address may cost at most: its call ends there, whatever a token or a treasury does. Measured with
 * USDC and USDT, a deployment takes up to 270,000 for the first address of a flush and 195,000 for others,
 * and a later call 35,000 and 14,000.
 */
const GAS_OF_DEPLOYMENT = 240_000;
const GAS_OF_CALL = 40_000;
const GAS_OF_COIN = 100_000;
/** What goes with each call: 10,000 that Flush.sol demands for itself, and its part of the input. */
const GAS_BESIDE = 20_000;
/** What a transaction with nothing in it takes. */
const GAS_OF_CREATION = 120_000n;

/** What a flush may cost, and what its gas is worth. */
export interface Prices {
  readonly maxFeePerGas: bigint;
  /** Returns what so much of the native coin's smallest unit is worth, in US dollars. */
  readonly usdOf: (units: bigint) => string;
  /** Per cent of what moves. */
  readonly maxFeePercent: string;
}

/** The addresses of one transaction, and its input. */
export interface Plan {
  readonly deposits: readonly Deposit[];
  readonly input: Buffer;
  /** What moves, in US dollars. */
  readonly usd: string;
}

/** Returns the most gas that a transaction of a network may have. */
export function mostGas(blockGas: bigint): bigint {
  const share = blockGas / BLOCK_SHARE;
  return share < MOST_GAS ? share : MOST_GAS;
}

/**
 * Returns the deposits that are worth the gas that they may take, at the most that it may cost: twice as much
 * with each flush that left them, so that all of them together cost no more than twice what one may.
 */
export function worthMoving(deposits: readonly Deposit[], prices: Prices): readonly Deposit[] {
  return deposits.filter((deposit) => {
    const fee = feeOf(BigInt(gasOf(deposit)), prices);
    // Who can make his own token or treasury refuse would have the same money pay for gas again and again.
    return !isAbove(multiply(fee, String(2n ** BigInt(deposit.tries))), deposit.usd, prices);
  });
}

/** Returns as many deposits as one transaction takes, the first ones first; null: there is none. */
export function planFlush(deposits: readonly Deposit[], gas: bigint): Plan | null {
  // A 64th is nobody's (EIP-150).
  let left = ((gas - GAS_OF_CREATION) * 63n) / 64n;
  let some = deposits.filter((deposit) => {
    left -= BigInt(gasOf(deposit));
    return left >= 0n;
  });
  for (; some.length > 0; some = some.slice(0, Math.floor(some.length * 0.9))) {
    const input = flushInput(groupsOf(some));
    if (input.length <= MOST_BYTES) return { deposits: some, input, usd: sum(some.map(({ usd }) => usd)) };
  }
  return null;
}

/** Returns what gas costs at most, in US dollars. */
export function feeOf(gas: bigint, { maxFeePerGas, usdOf }: Prices): string {
  return usdOf(gas * maxFeePerGas);
}

/** True where a fee is a larger part of an amount than it may be. */
export function isAbove(fee: string, usd: string, { maxFeePercent }: Pick<Prices, 'maxFeePercent'>): boolean {
  return compare(multiply(fee, '100'), multiply(usd, maxFeePercent)) > 0;
}

/** Returns a fee in per cent of an amount, rounded up, for people. */
export function percentOf(fee: string, usd: string): string {
  return compare(usd, '0') > 0 ? divide(multiply(fee, '100'), usd, 2, 'up') : 'more than 100';
}

/** What the calls of a deposit may take: Flush.sol demands it for all before the first. */
function gasOf({ isDeployed, holds, listedLater }: Deposit): number {
  const deployment = isDeployed ? 0 : GAS_OF_DEPLOYMENT + holds.length * GAS_OF_COIN + GAS_BESIDE;
  const calls = isDeployed ? holds.length : listedLater.length;
  return deployment + calls * (GAS_OF_CALL + GAS_OF_COIN + GAS_BESIDE);
}

/**
 * Deployments first, which move all that they know. Of an address with code each coin has a call of its own:
 * a token that uses up its gas keeps no other coin.
 */
export function groupsOf(deposits: readonly Deposit[]): Group[] {
  const fresh = deposits.filter(({ isDeployed }) => !isDeployed);
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const kindOf = (one: Deposit) => `${one.holds.length} ${hex(one.arguments)}`;
  const deployments = [...groupBy(fresh, kindOf).values()].map((same) => ({
    deploys: true,
    tail: same[0]?.arguments ?? new Uint8Array(),
    items: same.map(({ salt }) => salt),
    gasEach: GAS_OF_DEPLOYMENT + (same[0]?.holds.length ?? 0) * GAS_OF_COIN,
  }));
  const called = deposits.flatMap(({ isDeployed, address, holds, listedLater }) =>
    (isDeployed ? holds : listedLater).map((token) => ({ address, token })),
  );
  const calls = [...groupBy(called, ({ token }) => token ?? '').values()].map((same) => ({
    deploys: false,
    // Every call moves the native coin.
    tail: flushCall(same.flatMap(({ token }) => token ?? []).slice(0, 1)),
    items: same.map(({ address }) => address),
    gasEach: GAS_OF_CALL + GAS_OF_COIN,
  }));
  return [...deployments, ...calls];
}
