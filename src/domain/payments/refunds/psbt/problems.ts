import { divide } from '../../../../platform/values/money.ts';
import type { PsbtProblem } from './store.ts';

/** Why there is nothing to sign for a refund, as its merchant reads it. */
export class Unmakeable extends Error {
  override readonly name = 'Unmakeable';
  readonly code: string;

  constructor(code: keyof typeof BEHIND, message: string) {
    super(`${message}: ${BEHIND[code]}.`);
    this.code = code;
  }

  get problem(): PsbtProblem {
    return { code: this.code, message: this.message };
  }
}

const ANY_WALLET = 'pay coin_amount to address from any wallet, or wait';

/** What to do. A merchant's program may go by the code. */
const BEHIND = {
  insufficient: `${ANY_WALLET} for further deposits`,
  too_many_coins: 'send your deposits to one address of your own first, and pay coin_amount to address',
  fee_too_high: `${ANY_WALLET} for lower fees`,
  coins_spent: 'if that pays this refund, wait until it is final; if not, another request is made then',
  unavailable: 'it is tried again within minutes',
} as const;

/** Returns satoshi as an amount. */
export const inBtc = (satoshi: bigint): string => divide(String(satoshi), '100000000', 8, 'down');
