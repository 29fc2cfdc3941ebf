import { isUnderWay, statusesThat } from '../payments/lifecycle/states.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';
import type { PairedTill } from './opening.ts';
import { lockTill } from './store.ts';
import { totalsOf, type Totals } from './totals.ts';

/** A close of a till: what was paid since the one before, each payment in exactly one. */
export interface Close {
  readonly number: number;
  readonly closed_at: Date;
  /** As it was typed; empty: nothing was. */
  readonly closed_by: string;
  readonly device_name: string;
  readonly totals: Totals;
}

/** Money that comes later than so long after a sale is told by the webhooks alone. */
const GIVEN_UP_SECONDS = 35 * 86_400;
const MOST_BY = 60;

// A payment that settles at this instant is counted here or, where this statement does not see it, by the
// next close: its sale has no number until then.
const countPaid = sql<never, { tillId: string; number: number }>(
  'count_paid_sales',
  (p) => `
    UPDATE till_sales s SET close_number = ${p.number}
    FROM payments p
    WHERE s.till_id = ${p.tillId} AND s.close_number IS NULL AND p.id = s.payment_id
      AND p.settled_at IS NOT NULL`,
);

// A payment that is being created for such a sale is stored first, and then read below.
const lockOld = sql<{ number: number }, { tillId: string; before: Date }>(
  'lock_old_sales',
  (p) => `
    SELECT number FROM till_sales
    WHERE till_id = ${p.tillId} AND close_number IS NULL AND created_at < ${p.before}
    ORDER BY number FOR NO KEY UPDATE`,
);
const giveUp = sql<never, { tillId: string; before: Date }>(
  'give_up_unpaid_sales',
  (p) => `
    UPDATE till_sales s SET close_number = 0
    WHERE s.till_id = ${p.tillId} AND s.close_number IS NULL AND s.created_at < ${p.before} AND NOT EXISTS (
      SELECT FROM payments p WHERE p.id = s.payment_id
        AND (p.settled_at IS NOT NULL OR p.status IN (${statusesThat(isUnderWay)})))`,
);

const insertClose = sql<
  never,
  { tillId: string; number: number; now: Date; by: string; deviceName: string; totals: string }
>(
  'insert_close',
  (p) => `
    INSERT INTO till_closes (till_id, number, closed_at, closed_by, device_name, totals)
    VALUES (${p.tillId}, ${p.number}, ${p.now}, ${p.by}, ${p.deviceName}, ${p.totals}::json)`,
);
const setCloses = sql<never, { tillId: string; number: number }>(
  'set_closes_of_till',
  (p) => `UPDATE tills SET closes = ${p.number} WHERE id = ${p.tillId}`,
);

/**
 * Closes a till: counts what was paid and no close has counted, and returns the close's number. `number` is
 * the close that the form is for: one that exists is returned as it is, so that a form that is sent twice, or
 * by two devices, closes once. Null: the form is for none that could come next.
 */
export async function closeTill(
  ctx: Pick<Context, 'db' | 'now'>,
  { id: tillId, device_name: deviceName }: PairedTill,
  { number, by }: { number: number; by: string },
): Promise<number | null> {
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    const { closes } = await lockTill(tx, tillId);
    if (number >= 1 && number <= closes) return number;
    if (number !== closes + 1) return null;
    await run(tx, countPaid, { tillId, number });
    await run(tx, lockOld, { tillId, before: addSeconds(now, -GIVEN_UP_SECONDS) });
    await run(tx, giveUp, { tillId, before: addSeconds(now, -GIVEN_UP_SECONDS) });
    const totals = JSON.stringify(await totalsOf(tx, tillId, number));
    const closedBy = [...by.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').trim()].slice(0, MOST_BY).join('');
    await run(tx, insertClose, { tillId, number, now, by: closedBy, deviceName, totals });
    await run(tx, setCloses, { tillId, number });
    return number;
  });
}

const closeOfTill = sql<Close, { tillId: string; number: number }>(
  'close_of_till',
  (p) => `
    SELECT number, closed_at, closed_by, device_name, totals FROM till_closes
    WHERE till_id = ${p.tillId} AND number = ${p.number}`,
);

/** Returns a close of a till; null: it has none of that number. */
export async function findClose(
  connection: Connection,
  tillId: string,
  number: number,
): Promise<Close | null> {
  return runOne(connection, closeOfTill, { tillId, number });
}

const latestCloses = sql<Close, { tillId: string; limit: number }>(
  'latest_closes_of_till',
  (p) => `
    SELECT number, closed_at, closed_by, device_name, totals FROM till_closes
    WHERE till_id = ${p.tillId} ORDER BY number DESC LIMIT ${p.limit}`,
);

/** Returns the latest closes of a till, newest first. */
export async function listCloses(connection: Connection, tillId: string, limit: number): Promise<Close[]> {
  return run(connection, latestCloses, { tillId, limit });
}
