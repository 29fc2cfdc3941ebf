import { setTimeout as sleep } from 'node:timers/promises';
import { liveChainKey, watchKey } from '../chain/chain-key.ts';
import type { NetworkId } from '../chain/networks.ts';
import { IS_REAL } from '../payments/lifecycle/payment.ts';
import { isUnderWay, statusesThat } from '../payments/lifecycle/states.ts';
import { IS_OPEN } from '../payments/refunds/states.ts';
import type { Context } from '../../platform/context.ts';
import { runOne, sql, type Tx } from '../../platform/postgres/db.ts';
import { keepFromLeading } from '../../platform/postgres/leadership.ts';

/** Why a network is not forgotten; `null`: it is. */
export type Kept =
  | { readonly because: 'unknown' }
  | { readonly because: 'watched' }
  | { readonly because: 'needed'; readonly payments: number; readonly refunds: number }
  | null;

/** Longer than web takes to learn that a network takes no new payments (payments/sync/served.ts). */
const LEARNT_SECONDS = 15;

const forgotten = sql<{ halted_at: Date }, { chain: string; now: Date }>(
  'halt_chain_to_forget',
  (p) => `
    UPDATE chain_cursors SET halted_at = coalesce(halted_at, ${p.now}),
      halted_because = coalesce(halted_because, 'an operator forgets it')
    WHERE chain = ${p.chain} RETURNING halted_at`,
);
const forget = sql<{ chain: string }, { chain: string }>(
  'forget_chain',
  (p) => `DELETE FROM chain_cursors WHERE chain = ${p.chain} AND halted_at IS NOT NULL RETURNING chain`,
);

// A payment with a wallet is on real networks. Index: payments_by_status, of each merchant.
const needs = sql<{ payments: number; refunds: number }, { network: NetworkId }>(
  'what_needs_a_chain',
  (p) => `
    SELECT
      (SELECT count(*)::int FROM merchants m JOIN payments p ON p.merchant_id = m.id
       WHERE p.status IN (${statusesThat(isUnderWay)}) AND ${IS_REAL('p')}
         AND EXISTS (SELECT FROM quotes q WHERE q.payment_id = p.id AND q.network = ${p.network})
      ) AS payments,
      (SELECT count(*)::int FROM refunds r JOIN payments p ON p.id = r.payment_id
       WHERE ${IS_OPEN('r')} AND r.network = ${p.network} AND ${IS_REAL('p')}) AS refunds`,
);

/**
 * Forgets a real network that nobody reads any more. Nothing waits for its scan afterwards, so a payment on
 * it would expire unread: it is halted first, which lets web create none, and forgotten when every process
 * knows that and no payment and no refund needs it. Throws what Postgres throws; then it may stay halted.
 */
export async function forgetChain(
  { db, systemNow }: Pick<Context, 'db' | 'systemNow'>,
  network: NetworkId,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<Kept> {
  const chain = liveChainKey(network);
  const halted = await db.transaction(async (tx) => {
    const kept = await reasonToKeep(tx, network);
    if (kept !== null) return kept;
    return (await runOne(tx, forgotten, { chain, now: systemNow() })) ?? ({ because: 'unknown' } as const);
  });
  if ('because' in halted) return halted;
  const seconds = LEARNT_SECONDS - (systemNow().getTime() - halted.halted_at.getTime()) / 1_000;
  await pause(Math.max(0, seconds * 1_000));
  return db.transaction(async (tx) => {
    const kept = await reasonToKeep(tx, network);
    if (kept !== null) return kept;
    return (await runOne(tx, forget, { chain })) === null ? { because: 'unknown' } : null;
  });
}

/** No watcher begins to read it until the transaction ends. */
async function reasonToKeep(tx: Tx, network: NetworkId): Promise<Kept> {
  if (!(await keepFromLeading(tx, watchKey(network)))) return { because: 'watched' };
  const { payments = 0, refunds = 0 } = (await runOne(tx, needs, { network })) ?? {};
  return payments + refunds === 0 ? null : { because: 'needed', payments, refunds };
}
