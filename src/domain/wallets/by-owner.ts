import { listWallets, type Wallet, findWallet } from '../chain/wallets/store.ts';
import { walletFault } from '../chain/wallets/open.ts';
import { ensureScheduled, finish } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import { isId } from '../../platform/values/ids.ts';
import { firstAddresses, isShown } from './first-addresses.ts';
import { useWallet } from './jobs.ts';
import { notifyOfWallet, WAIT_SECONDS } from './notify.ts';
import {
  getWallet,
  noteWallet,
  setWallet,
  startUsing,
  useLocked,
  withWalletsLocked,
  type NewWallet,
} from './set.ts';

/**
 * The wallets of a merchant, retired ones included, that its owners set: whoever sets one has it compared
 * with those of all merchants, and a page lists them.
 */
export const MOST_WALLETS = 50;

/**
 * Stores a wallet for an owner as `setWallet` does. Throws RangeError as that does, and where the merchant
 * has MOST_WALLETS.
 */
export async function setByOwner(ctx: Context, wanted: NewWallet): Promise<Wallet> {
  if ((await listWallets(ctx.db, wanted.merchantId)).length >= MOST_WALLETS)
    throw new RangeError(`There are ${MOST_WALLETS} wallets already: the operator adds others`);
  return (await setWallet(ctx, wanted)).wallet;
}

/** Returns a wallet of the merchant; null: it has none of that id. */
export async function findOwnWallet(
  { db }: { db: Connection },
  merchantId: string,
  id: string,
): Promise<Wallet | null> {
  const wallet = isId('wal', id) ? await findWallet(db, id) : null;
  return wallet?.merchant_id === merchantId ? wallet : null;
}

const duesOfWallets = sql<{ key: string; run_at: Date }, { job: string; keys: readonly string[] }>(
  'dues_of_wallets',
  (p) => `SELECT key, run_at FROM scheduled_jobs WHERE job = ${p.job} AND key = ANY (${p.keys})`,
);

/** From when on each of the wallets that wait is used, by id. */
export async function duesOf(
  connection: Connection,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await run(connection, duesOfWallets, { job: useWallet.name, keys: ids });
  return new Map(rows.map(({ key, run_at }) => [key, run_at]));
}

// A default is replaced by the merchant's own. One that was retired may be so by who now sets another. A shop
// that sells on other networks has customers, whom an accepted method leads to a first wallet at once: only
// one that sets up all of its wallets within a day is new.
const takesMoney = sql<{ is_taken: boolean }, { merchantId: string | null; family: string; dayAgo: Date }>(
  'takes_money_already',
  (p) => `
    SELECT EXISTS (
      SELECT FROM wallets WHERE confirmed_at IS NOT NULL AND (
        merchant_id = ${p.merchantId} AND (family = ${p.family} OR confirmed_at <= ${p.dayAgo})
        OR merchant_id IS NULL AND retired_at IS NULL)
    ) AS is_taken`,
);

/** `used`: it is in use now, or was already. `refused`: the address is not of it. */
export type Confirmed = 'used' | 'refused' | { readonly from: Date };

/**
 * Confirms a wallet of a merchant for its owner, who names an address that their own wallet shows. The first
 * one of the merchant on its networks is used at once, while the shop is new; one that takes the place of
 * another, also of the default or of one that was retired, and a first one of a shop that takes money for
 * longer than `WAIT_SECONDS`, wait for as long, and all owners are notified. Confirming again changes
 * nothing. Throws RangeError where it is retired, and TakenError where somebody else uses it.
 */
export function confirmByOwner(ctx: Context, known: Wallet, address: string): Promise<Confirmed> {
  const { id, merchant_id: merchantId, family } = known;
  if (!isShown(known, firstAddresses(ctx, known), address.trim())) return Promise.resolve('refused');
  return withWalletsLocked(ctx, known, async (tx, alike) => {
    const { retired_at, confirmed_at } = await getWallet({ db: tx }, id);
    if (retired_at !== null) throw new RangeError(`The wallet ${id} is retired: set a new one`);
    if (confirmed_at !== null) return 'used';
    const waiting = (await duesOf(tx, [id])).get(id);
    if (waiting !== undefined) return { from: waiting };
    const now = ctx.now();
    const dayAgo = addSeconds(now, -WAIT_SECONDS);
    // Of two first wallets that are confirmed at once the second waits for the first, and finds it.
    const taken = await runOne(tx, takesMoney, { merchantId, family, dayAgo });
    if (taken?.is_taken !== true) {
      await useLocked(ctx, tx, known, alike);
      return 'used';
    }
    const due = addSeconds(now, WAIT_SECONDS);
    await ensureScheduled(tx, [{ job: useWallet, key: id, runAt: due, testClock: null }]);
    await notifyOfWallet(tx, known, 'announced', now);
    await noteWallet(ctx, tx, 'wallet announced', known, { from: due.toISOString() });
    return { from: due };
  });
}

/**
 * Puts a wallet in use whose wait is over, unless it was retired. One that cannot be used any more, because
 * somebody else uses its addresses by now, is left as it is: the log says so.
 */
export async function useAfterWait(ctx: Context, id: string): Promise<void> {
  const startedAt = ctx.now();
  const wallet = await findWallet(ctx.db, id);
  if (wallet !== null && wallet.retired_at === null) {
    const fault = walletFault(ctx.config, wallet) ?? (await faultOfUse(ctx, wallet));
    if (fault !== null)
      ctx.log.error('wallet not used after its wait: its merchant must set another one', {
        wallet_id: id,
        merchant_id: wallet.merchant_id,
        reason: fault,
      });
  }
  await finish(ctx.db, useWallet, [id], startedAt);
}

async function faultOfUse(ctx: Context, wallet: Wallet): Promise<string | null> {
  try {
    await startUsing(ctx, wallet);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** The wallets of a merchant, newest first, with when those that wait are used. */
export async function listOwnWallets(
  { db }: Pick<Context, 'db'>,
  merchantId: string,
): Promise<{ wallet: Wallet; due: Date | null }[]> {
  const own = await listWallets(db, merchantId);
  const ids = own.map(({ id }) => id);
  const dues = await duesOf(db, ids);
  return own.toReversed().map((wallet) => ({ wallet, due: dues.get(wallet.id) ?? null }));
}
