import { NETWORK_IDS, NETWORKS } from '../../chain/networks.ts';
import type { ScheduledJob } from '../../schedule/rows.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { isZero } from '../../../platform/values/money.ts';
import { endHolds } from '../lifecycle/jobs.ts';
import { jobOf, type Payment } from '../lifecycle/payment.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { isStanding, type PaymentTransfer } from './payment-transfer.ts';

/**
 * Returns when a transfer stops to hold rate and deadline; null: it is mined, does not count, or its coins
 * are committed already to a conversion or a refund, which waits until they are mined again. A transfer that
 * a reorganisation put back into the pool is held from then: that was nobody's choice.
 */
export function holdEndOf(transfer: PaymentTransfer): Date | null {
  const { network, seen_at, pooled_at, block_height, conversion, returned } = transfer;
  if (!isStanding(transfer) || block_height !== null || conversion !== null || !isZero(returned)) return null;
  return addSeconds(pooled_at ?? seen_at, NETWORKS[network].unminedHoldSeconds);
}

type Transfers = readonly PaymentTransfer[];

/** Returns the first time at which one of the transfers stops to hold; null: none does. */
function nextHoldEnd(transfers: Transfers): Date | null {
  const ends = transfers.flatMap((transfer) => holdEndOf(transfer)?.getTime() ?? []);
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}

/** The jobs that end what transfers hold: of payments that need one, and whose last one is mined or gone. */
export function holdJobs(
  payments: readonly Payment[],
  before: (id: string) => Transfers,
  after: (id: string) => Transfers,
): { scheduled: ScheduledJob[]; cancelled: string[] } {
  const ends = payments.map((payment) => ({ payment, runAt: nextHoldEnd(after(payment.id)) }));
  return {
    scheduled: ends.flatMap(({ payment, runAt }) =>
      runAt === null ? [] : [jobOf(endHolds, payment, runAt)],
    ),
    cancelled: ends
      .filter(({ payment: { id }, runAt }) => runAt === null && nextHoldEnd(before(id)) !== null)
      .map(({ payment }) => payment.id),
  };
}

const HOLD_SECONDS = NETWORK_IDS.map((id) => `WHEN '${id}' THEN ${NETWORKS[id].unminedHoldSeconds}`);

/** SQL: when the first transfer of each of the payments `p` stops to hold, of those that have one. */
export const HOLDS = (which: string) => `
  SELECT p.id, p.test_clock, min(
    coalesce(t.pooled_at, t.seen_at) + make_interval(secs => CASE t.network
      ${HOLD_SECONDS.join('\n      ')} END)
  ) AS ends_at
  FROM payments p JOIN transfers t ON t.payment_id = p.id
  WHERE ${which} AND t.block_height IS NULL AND t.dropped_at IS NULL AND t.lapsed_at IS NULL
    AND t.conversion IS NULL AND t.returned = 0 AND NOT ${HAS_QUARANTINED('p.id')}
  GROUP BY p.id`;

const lapse = sql<never, { transfers: string; now: Date }>(
  'lapse_transfers',
  (p) => `
    UPDATE transfers t SET lapsed_at = ${p.now}, credit = 0, locked_amount = 0, locked_credit = 0
    FROM jsonb_to_recordset(${p.transfers}::jsonb) AS l (
      payment_id text, network text, tx_hash text, coin text)
    WHERE t.payment_id = l.payment_id AND t.network = l.network AND t.tx_hash = l.tx_hash
      AND t.coin = l.coin`,
);

/**
 * Takes their credit from transfers that hold nothing any more. The caller has locked their payments before
 * it read them. Mined after all, they are credited again, as money that came then.
 */
export async function lapseTransfers(tx: Tx, lapsed: readonly PaymentTransfer[], now: Date): Promise<void> {
  if (lapsed.length === 0) return;
  const keys = lapsed.map(({ payment_id, network, tx_hash, coin }) => ({
    payment_id,
    network,
    tx_hash,
    coin,
  }));
  await run(tx, lapse, { transfers: recordset(keys), now });
}

/**
 * Since when a transfer is in the pool again, as it is stored beside what the chain reports of it `at` a
 * time.
 */
export function pooledAt(
  known: Pick<PaymentTransfer, 'block_height' | 'pooled_at'> | undefined,
  isMined: boolean,
  at: Date,
): Date | null {
  if (known === undefined || isMined) return null;
  return known.block_height === null ? known.pooled_at : at;
}
