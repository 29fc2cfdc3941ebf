import type { Found, Mined, Tracked } from './cursor.ts';

/**
 * What two transactions share of which only one can be mined: an account and its number for them, or an
 * output that both spend. None: it is not known.
 */
export const claimsOf = ({ from, nonce, inputs }: Pick<Found, 'from' | 'nonce' | 'inputs'>) =>
  inputs ?? (from === null ? [] : [`${from} ${nonce}`]);

/** True for transfers of one claim that pay the same: a wallet's speed-up. */
export const isSameMoney = (a: Found, b: Found): boolean => a.address === b.address && a.coin === b.coin;

/** Returns those of the unmined transfers whose claim a transaction of a block has. */
export function claimedBy(
  { claimants }: Pick<Mined, 'claimants'>,
  transfers: ReadonlyMap<string, Tracked>,
): { key: string; by: string }[] {
  const waiting = [...transfers].filter(([, one]) => one.block === null);
  const claims = new Set(waiting.flatMap(([, one]) => claimsOf(one)));
  if (claims.size === 0) return [];
  const byClaim = claimants(claims);
  return waiting.flatMap(([key, one]) => {
    const [by] = claimsOf(one).flatMap((claim) => byClaim.get(claim) ?? []);
    return by === undefined ? [] : { key, by };
  });
}
