import { LIVE_CHAIN_KEY } from '../../chain/chain-key.ts';
import { putOff } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Job } from '../../schedule/job.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { endHolds, expirePayment, requotePayment } from '../lifecycle/jobs.ts';
import { REQUOTES } from '../pricing/schedule-requote.ts';
import { HOLDS } from '../transfers/hold.ts';
import { syncNetworksOf } from './shared-sync.ts';
import type { SyncAdapters } from './sync-network.ts';

interface Unread {
  readonly id: string;
  readonly merchant_id: string;
  /** How far the network that is read least is; null: one is not read, has halted, or is to be audited. */
  readonly scanned_until: Date | null;
}

/** A network that is read, and cannot be audited, holds a deadline for this long. */
const AUDIT_PATIENCE = `interval '1 hour'`;

/**
 * SQL: whether the balances of a live payment `p` are audited on the network of `q` up to when its job is
 * due, or were not for long while the network was read. Where nobody audits, nothing waits for it.
 */
const IS_AUDITED = (endsAt: string) => `(
        c.audited_at IS NULL OR p.wallet_id IS NULL OR c.scanned_until >= ${endsAt} + ${AUDIT_PATIENCE}
        OR EXISTS (SELECT FROM balance_audits a WHERE a.payment_id = p.id AND a.network = q.network
          AND a.audited_until >= ${endsAt}))`;

/**
 * The payments with a network that is not read up to when their job is due. One that no watcher has ever read
 * took no payment but simulated ones. `due` selects id and `ends_at`; `isDone` is what else must be so.
 */
const unreadOf = (name: string, due: (which: string) => string, isDone = 'true') =>
  sql<Unread, { paymentIds: readonly string[] }>(
    name,
    (p) => `
    WITH due AS (${due(`p.id = ANY (${p.paymentIds})`)}
    ), unread AS (
      SELECT due.id,
        CASE WHEN c.halted_at IS NULL AND c.scanned_until < due.ends_at THEN c.scanned_until END AS scanned_until
      FROM due JOIN payments p ON p.id = due.id JOIN quotes q ON q.payment_id = due.id
        JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('q.network')}
      WHERE (c.halted_at IS NULL AND c.scanned_until >= due.ends_at AND ${isDone}) IS NOT TRUE
    )
    SELECT u.id, p.merchant_id,
      CASE WHEN bool_and(u.scanned_until IS NOT NULL) THEN min(u.scanned_until) END AS scanned_until
    FROM unread u JOIN payments p ON p.id = u.id GROUP BY u.id, p.merchant_id`,
  );

const UNREAD = new Map([
  [
    expirePayment,
    unreadOf(
      'unread_expiries',
      (which) => `SELECT p.id, p.deadline_at AS ends_at FROM payments p WHERE ${which}`,
      IS_AUDITED('due.ends_at'),
    ),
  ],
  [endHolds, unreadOf('unread_holds', HOLDS)],
  [requotePayment, unreadOf('unread_requotes', REQUOTES)],
]);

/** Soon enough after the next block, and rare enough while a network is away. */
const SOONEST_SECONDS = 2;
const LATEST_SECONDS = 60;

/** Which payments' jobs can be done, and the time as of which. */
export interface Scanned {
  readonly isRead: (paymentId: string) => boolean;
  readonly now: Date;
}

/**
 * Finds the payments whose networks are read up to when their job is due: money that a network saw before
 * counts. Simulated ones are read now. Only the watcher reads real ones: the jobs of the others are put
 * off, the longer the further their network is behind.
 */
export async function awaitScan(
  ctx: Context,
  adapters: SyncAdapters,
  job: Job,
  ids: readonly string[],
): Promise<Scanned> {
  if (adapters.isSimulated) return { isRead: () => true, now: await syncNetworksOf(ctx, adapters, ids) };
  const now = ctx.now();
  const statement = UNREAD.get(job);
  if (statement === undefined) throw new Error(`job ${job.name} does not wait for a scan`);
  const unread = await run(ctx.db, statement, { paymentIds: ids });
  await putOff(
    ctx.db,
    unread.map(({ id: key, merchant_id: merchantId, scanned_until }) => ({
      job,
      key,
      runAt: addSeconds(now, waitSeconds(scanned_until, now)),
      testClock: null,
      merchantId,
    })),
    now,
  );
  const waiting = new Set(unread.map(({ id }) => id));
  return { isRead: (id) => !waiting.has(id), now };
}

function waitSeconds(scannedUntil: Date | null, now: Date): number {
  if (scannedUntil === null) return LATEST_SECONDS;
  const lag = (now.getTime() - scannedUntil.getTime()) / 1000;
  return Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, lag / 2));
}
