import type { Script } from './check.ts';
import type { Method } from './coins.ts';
import type { Action, Share, Terms } from './terms.ts';

/** Scripts in short, for tests that write them out. */

const POLICY: Terms['policy'] = {
  underpaid: 'wait',
  underpaid_tolerance_percent: 0,
  late: 'honour',
  overpaid: 'keep',
};

export type Steps = readonly (readonly [after: number, action: Action])[];

export interface Choice extends Partial<Terms['policy']> {
  readonly price?: string;
  readonly minutes?: number;
  readonly settlement?: Terms['settlement'];
}

export function scriptOf(
  steps: Steps,
  { price = '10.00', minutes = 60, settlement = 'simulated', ...policy }: Choice = {},
): Script {
  return {
    terms: { price, minutes, settlement, policy: { ...POLICY, ...policy } },
    steps: steps.map(([after, action]) => ({ after, action })),
  };
}

export const pay = (share: Share, method: Method = 'USDC ethereum'): Action => ({
  do: 'transfer',
  method,
  share,
  direct: false,
});
/** Without choosing the coin: no rate is locked. */
export const send = (share: Share, method: Method): Action =>
  ({ ...pay(share, method), direct: true }) as Action;
export const coins = (amount: string): Share => ({ coins: amount });
export const market = (coin: 'BTC' | 'ETH' | 'USDT', percent: number): Action => ({
  do: 'market',
  coin,
  percent,
});
export const lose = (which: number): Action => ({ do: 'replace', which, speedUp: false });
export const speedUp = (which: number): Action => ({ do: 'replace', which, speedUp: true });
export const wait: Action = { do: 'wait' };
export const refund: Action = { do: 'refund', percent: null, to: null };
export const giveAddress: Action = { do: 'give_address' };
