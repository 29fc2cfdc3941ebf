import { setImmediate as nextTurn } from 'node:timers/promises';
import { walletFault } from '../../chain/wallets/open.ts';
import { IS_IN_USE, type Wallet } from '../../chain/wallets/store.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import type { Check } from './monitor.ts';

const EVERY_MS = 20_000;
/** Some microseconds each; where there are more, `ops verify` looks at all. */
const MOST_WALLETS = 10_000;
/** Requests run between so many. */
const SLICE = 500;

const walletsInUse = sql<Wallet, { limit: number }>(
  'wallets_in_use',
  (p) => `SELECT * FROM wallets WHERE ${IS_IN_USE} ORDER BY id DESC LIMIT ${p.limit}`,
);

/** Whether the wallets of live payments are as the operator stored them, before a payment asks for one. */
export function walletsCheck(ctx: Context): Check {
  return {
    name: 'wallets',
    everyMs: EVERY_MS,
    async look() {
      let refused = 0;
      for (const [place, wallet] of (await run(ctx.db, walletsInUse, { limit: MOST_WALLETS })).entries()) {
        if (walletFault(ctx.config, wallet) !== null) refused += 1;
        if (place % SLICE === SLICE - 1) await nextTurn();
      }
      return refused === 0
        ? []
        : [`${refused} wallets are not as the operator stored them: their live payments get 503`];
    },
  };
}
