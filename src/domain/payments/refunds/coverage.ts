import { schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { hasToConvert, sendableParts } from '../conversions/plan.ts';
import { sendRefund, settlePayment } from '../lifecycle/jobs.ts';
import { jobOf, testClockOf, type Payment } from '../lifecycle/payment.ts';
import { isSettled } from '../lifecycle/states.ts';
import { lockPayment } from '../lifecycle/store.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { holdJobs } from '../transfers/hold.ts';
import { readTransfers } from '../transfers/store.ts';
import { returnHeld } from './accept.ts';
import { acceptDueRefunds } from './due.ts';
import { markAsked, type Refund } from './store.ts';
import { IS_PENDING } from './states.ts';

/** A transfer that a reorganisation took out of its block is mined again within a few blocks. */
const WAIT_SECONDS = 600;

interface Coverage {
  readonly is_pending: boolean;
  /** The payout was asked for, or takes money that was settled: nothing stops it. */
  readonly is_final: boolean;
  /** All coins that the refund reserved are in confirmed transfers, and no change of these is quarantined. */
  readonly is_covered: boolean | null;
  /** Some of them are in a transfer that was dropped. */
  readonly is_lost: boolean | null;
}

/** SQL: the coins that a refund reserved, `part`, stand in the confirmed transfer `t`. */
export const IS_COVERED_PART =
  't.dropped_at IS NULL AND t.confirmed_at IS NOT NULL AND t.returned >= part.coins';
/** SQL: they were in a transfer that was dropped. */
export const IS_LOST_PART = 't.dropped_at IS NOT NULL OR t.returned < part.coins';

const coverageOfRefund = sql<Coverage, { id: string }>(
  'coverage_of_refund',
  (p) => `
    SELECT ${IS_PENDING('r')} AS is_pending, r.asked_at IS NOT NULL OR r.source = 'settled' AS is_final,
      bool_and(${IS_COVERED_PART}) AND NOT ${HAS_QUARANTINED('r.payment_id')} AS is_covered,
      bool_or(${IS_LOST_PART}) AS is_lost
    FROM refunds r
      LEFT JOIN refund_parts part ON part.refund_id = r.id
      LEFT JOIN transfers t ON t.payment_id = part.payment_id AND t.network = part.network
        AND t.tx_hash = part.tx_hash AND t.coin = part.coin
    WHERE r.id = ${p.id}
    GROUP BY r.id`,
);

/**
 * Returns the refund to pay out, and records that its payout is asked for, when the coins that it reserved
 * are confirmed; else null. They may not be any more, because a refund can wait for days for an address, and
 * a block be reorganised meanwhile. Then it waits; and when a transfer of it was dropped for good, the refund
 * is withdrawn, and what stands of its coins is sent back by a new one. A refund whose payout was asked for
 * before is paid out, whatever became of its coins: the money may have left.
 */
export async function claimCovered(tx: Tx, refund: Refund, now: Date): Promise<Refund | null> {
  const payment = await lockPayment(tx, refund.payment_id);
  const coverage = await runOne(tx, coverageOfRefund, { id: refund.id });
  // Null, or not pending: another run has withdrawn it, or paid it out. Refunds of earlier releases have no
  // parts.
  if (coverage === null || !coverage.is_pending) return null;
  const { is_final, is_covered, is_lost } = coverage;
  if (is_final || (is_covered !== false && is_lost !== true)) return markAsked(tx, refund.id, now);
  if (is_lost === true) await withdraw(tx, payment, refund, now);
  else
    await schedule(tx, [
      {
        job: sendRefund,
        key: refund.id,
        runAt: addSeconds(now, WAIT_SECONDS),
        testClock: testClockOf(payment),
      },
    ]);
  return null;
}

// What a PSBT of it spends stays known: it may have been signed.
const withdrawRefund = sql<never, { id: string; now: Date }>(
  'withdraw_refund',
  (p) => `
    WITH signed AS (
      INSERT INTO withdrawn_coins (tx_hash, output_index, payment_id, deposit_index, withdrawn_at)
      SELECT c.tx_hash, c.output_index, r.payment_id, c.deposit_index, ${p.now}::timestamptz
      FROM refunds r JOIN refund_coins c ON c.refund_id = r.id WHERE r.id = ${p.id}
    ), released AS (
      UPDATE transfers t SET returned = greatest(0, t.returned - part.coins) FROM refund_parts part
      WHERE part.refund_id = ${p.id} AND t.payment_id = part.payment_id AND t.network = part.network
        AND t.tx_hash = part.tx_hash AND t.coin = part.coin
    )
    DELETE FROM refunds WHERE id = ${p.id}`,
);

/** Replaces a refund, whose coins are not all there, by one of those that are. */
async function withdraw(tx: Tx, payment: Payment, refund: Refund, now: Date): Promise<void> {
  await run(tx, withdrawRefund, { id: refund.id, now });
  await acceptDueRefunds(tx, [payment.id], now);
  const transfers = await readTransfers(tx, [payment.id]);
  // What is unmined of its coins holds rate and deadline again, and must not do so for ever.
  const holds = holdJobs(
    [payment],
    () => [],
    () => transfers,
  );
  await schedule(tx, holds.scheduled);
  // What was lost may have been converted: what the refund would have sent back is needed for the price then.
  if (hasToConvert(payment, transfers)) await schedule(tx, [jobOf(settlePayment, payment, now)]);
  if (isSettled(payment.status)) return;
  const rest = transfers.filter(({ coin, network }) => coin === refund.coin && network === refund.network);
  const { reason, address } = refund;
  await returnHeld(
    tx,
    payment,
    sendableParts(rest),
    { reason, address: address ?? undefined, transfers },
    now,
  );
}
