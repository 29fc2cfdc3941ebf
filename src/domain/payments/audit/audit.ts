import { COINS_ON_NETWORKS, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Balance, Balances, ChainClient } from '../../chain/port.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import { isZero } from '../../../platform/values/money.ts';
import { schedule } from '../../schedule/store.ts';
import { expirePayment } from '../lifecycle/jobs.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import type { SyncAdapters } from '../sync/sync-network.ts';
import { creditFound } from './credit-found.ts';
import {
  deleteOver,
  findDue,
  begunAt,
  findUnaudited,
  readKnown,
  recordAuditRound,
  storeAudited,
  storeBaselines,
  type DueAudit,
} from './store.ts';
import { surplusesOf } from './surplus.ts';

/** A round asks for this many payments at once; a provider gets their balances in batches of 50. */
const AT_ONCE = 50;
/** A round is this seldom while there is little to do, and after one that no provider could serve. */
const EVERY_SECONDS = 10;
const UNABLE_SECONDS = 300;
/** Then what else is due beside the pages has its turn. */
const MOST_ROUNDS = 20;

export type AuditAdapters = SyncAdapters & Pick<PaymentAdapters, 'chains'>;

/**
 * Returns what audits a network when it is called often: it compares balances with the transfers that are
 * known, in rounds. A fault is logged, and the next round tries again.
 */
export function startAudits(ctx: Context, adapters: AuditAdapters, network: NetworkId): () => Promise<void> {
  let nextAt = ctx.systemNow();
  const audit = () =>
    auditOnce(ctx, adapters, network).catch((error: unknown) => {
      ctx.log.warn('balances not audited, retrying', { network, ...faultOf(error) });
      return EVERY_SECONDS;
    });
  return async () => {
    if (ctx.systemNow() < nextAt) return;
    let seconds = 0;
    // Pages are blocks apart: with a round for each, more payments than that would expire unaudited.
    for (let round = 0; seconds === 0 && round < MOST_ROUNDS; round += 1) seconds = await audit();
    nextAt = addSeconds(ctx.systemNow(), seconds);
  };
}

/**
 * Audits the payments of a network that are new, and those that are due, some at a time; returns after how
 * long to come again. A provider is asked only where there are any.
 */
export async function auditOnce(ctx: Context, adapters: AuditAdapters, network: NetworkId): Promise<number> {
  const { db, log } = ctx;
  const client = adapters.chain(ctx);
  const coins = coinsOf(adapters, network);
  if (client.balances === undefined) return UNABLE_SECONDS;
  const now = ctx.now();
  await deleteOver(db, network, now);
  const unable = () => {
    log.warn('no provider can tell balances at the final block: payments expire unaudited, an hour late', {
      network,
    });
    return UNABLE_SECONDS;
  };
  const isNewDone = await takeBaselines(ctx, client, { network, native: coins.native });
  if (isNewDone === null) return unable();
  await recordAuditRound(db, network, now);
  const none = (await findDue(db, network, now, 1)).length === 0;
  if (none) return isNewDone ? EVERY_SECONDS : 0;
  const at = await client.balances(network, [], null);
  const due = at === null ? [] : await findDue(db, network, at.block.time, AT_ONCE);
  const asked = due.flatMap(({ address }) => coins.all.map((coin) => ({ address, coin })));
  const held = await client.balances(network, asked, null);
  if (held === null) return unable();
  await compareWithKnown(ctx, adapters, { network, due, held, native: coins.native });
  await expireAudited(ctx, due, held);
  return isNewDone && due.length < AT_ONCE ? EVERY_SECONDS : 0;
}

/** The coins that addresses on a network may hold. */
function coinsOf({ chains }: AuditAdapters, network: NetworkId): { native: CoinId | null; all: CoinId[] } {
  const all = COINS_ON_NETWORKS.filter((one) => one.network === network)
    .map(({ coin }) => coin)
    .filter((coin) => chains.contractOf(coin, network) !== undefined);
  return { native: all.find((coin) => chains.contractOf(coin, network) === null) ?? null, all };
}

/**
 * Asks what the addresses of new payments held before: that is not theirs. Where providers no longer have the
 * state of then, what stands there may have come for the payment: nobody can tell. Returns whether these were
 * all; null: no provider can tell.
 */
async function takeBaselines(
  { db }: Pick<Context, 'db'>,
  client: ChainClient,
  { network, native }: { network: NetworkId; native: CoinId | null },
): Promise<boolean | null> {
  const unaudited = await findUnaudited(db, network, AT_ONCE);
  if (unaudited.length === 0) return true;
  const first = new Date(Math.min(...unaudited.map((one) => begunAt(one).getTime())));
  const asked = native === null ? [] : unaudited.map(({ address }) => ({ address, coin: native }));
  const before = await client.balances?.(network, asked, first);
  if (before === undefined || before === null) return null;
  const held = new Map(before.balances.map((one) => [one.address, one]));
  const rows = unaudited.map((one) => {
    const own = held.get(one.address);
    const isBefore = before.block.time <= begunAt(one) || isZero(own?.amount ?? '0');
    return { payment_id: one.payment_id, baseline: own?.isProven === true && isBefore ? own.amount : null };
  });
  await storeBaselines(db, network, rows, before.block.time);
  return unaudited.length < AT_ONCE;
}

/** Whose deadline waited for this need not wait for the next look at the job. */
async function expireAudited(
  { db, now }: Pick<Context, 'db' | 'now'>,
  due: readonly DueAudit[],
  { block }: Balances,
): Promise<void> {
  const jobs = due
    .filter(({ expires_at }) => expires_at !== null && expires_at <= block.time)
    .map(({ payment_id: key, merchant_id: merchantId }) => ({
      job: expirePayment,
      key,
      runAt: now(),
      testClock: null,
      merchantId,
    }));
  await schedule(db, jobs);
}

interface Held {
  readonly network: NetworkId;
  readonly due: readonly DueAudit[];
  readonly held: Balances;
  readonly native: CoinId | null;
}

/** What holds as much as is known, or less, is in order: the merchant may have moved it on. */
async function compareWithKnown(
  ctx: Context,
  adapters: AuditAdapters,
  { network, due, held, native }: Held,
): Promise<void> {
  const { block } = held;
  const ids = due.map(({ payment_id }) => payment_id);
  const known = groupBy(await readKnown(ctx.db, ids, network, block.height), ({ payment_id }) => payment_id);
  const balances = groupBy(held.balances, ({ address }) => address);
  const inOrder: string[] = [];
  for (const audit of due) {
    const own: readonly Balance[] = balances.get(audit.address) ?? [];
    const more = surplusesOf(audit, own, known.get(audit.payment_id) ?? [], native);
    if (more.length === 0) inOrder.push(audit.payment_id);
    else await creditFound(ctx, adapters, { network, audit, held: own, more, block, native });
  }
  const rows = inOrder.map((payment_id) => ({ payment_id, unproven: null }));
  await storeAudited(ctx.db, network, rows, block.time);
}
