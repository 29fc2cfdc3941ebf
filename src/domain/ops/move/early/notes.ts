import { run, runOne, sql, type Connection, type Db, type Tx } from '../../../../platform/postgres/db.ts';
import { raiseNotes } from '../fence.ts';
import { holdRun, type Run } from '../runs.ts';
import { MoveRefused } from '../steps.ts';
import { ask } from '../tables/rows.ts';

/**
 * From one batch to the next, or through the rest of jobs: much longer than either takes. Whoever is not
 * heard of for so long was killed, and nothing is noted for it any more.
 */
const LASTING_SECONDS = 600;

const LAST = `clock_timestamp() + interval '${LASTING_SECONDS} seconds'`;

const begin = sql<never, { merchantId: string }>(
  'begin_copy_of_merchant',
  (p) => `
    INSERT INTO merchant_copies (merchant_id, lasts_until) VALUES (${p.merchantId}, ${LAST})
    ON CONFLICT (merchant_id) DO UPDATE SET lasts_until = excluded.lasts_until`,
);

const last = sql<{ merchant_id: string }, { merchantId: string }>(
  'let_copy_of_merchant_last',
  (p) => `
    UPDATE merchant_copies SET lasts_until = ${LAST}
    WHERE merchant_id = ${p.merchantId} AND lasts_until > clock_timestamp() RETURNING merchant_id`,
);

const keepCopied = sql<never, { merchantId: string; ids: readonly string[]; horizon: string }>(
  'keep_copied_payments',
  (p) => `
    INSERT INTO copied_payments (merchant_id, payment_id, horizon)
    SELECT ${p.merchantId}, unnest(${p.ids}::text[]), ${p.horizon}::xid8
    ON CONFLICT (merchant_id, payment_id) DO UPDATE SET horizon = excluded.horizon`,
);

/**
 * From here on the database notes every payment of which something is written. Whatever a transaction that
 * begins to read behind this does not see will be noted.
 */
export async function beginNotes(source: Db, move: Run): Promise<void> {
  await source.transaction(async (tx) => {
    await holdRun(tx, move);
    await run(tx, begin, move);
  });
  await raiseNotes(source, move.merchantId, (tx) => holdRun(tx, move));
}

/** Payments as they are in the target: all that transactions below the horizon have written of them. */
export interface Copied {
  readonly ids: readonly string[];
  readonly horizon: string;
}

/**
 * Lets notes be written on, and remembers what has been copied. Throws MoveRefused where they have ended, or
 * another run has taken the move over.
 */
export async function goOnNoting(source: Db, move: Run, copied?: Copied): Promise<void> {
  const { merchantId } = move;
  await source.transaction(async (tx) => {
    await holdRun(tx, move);
    if ((await runOne(tx, last, { merchantId })) === null)
      throw new MoveRefused(
        `For ${LASTING_SECONDS} s the command did nothing: what was written since then was not noted`,
      );
    if (copied !== undefined) await run(tx, keepCopied, { merchantId, ...copied });
  });
}

const forget = sql<never, { merchantId: string }>(
  'forget_copy_of_merchant',
  (p) => `
    WITH copy AS (DELETE FROM merchant_copies WHERE merchant_id = ${p.merchantId}),
      copied AS (DELETE FROM copied_payments WHERE merchant_id = ${p.merchantId})
    DELETE FROM touched_payments WHERE merchant_id = ${p.merchantId}`,
);

/** Ends the notes of a merchant, and forgets them. */
export async function endNotes(source: Connection, merchantId: string): Promise<void> {
  await run(source, forget, { merchantId });
}

/** SQL: whether the payment `p` is in the target as it is, of the merchant whose id is `$1`. */
export const IS_COPIED = `EXISTS (SELECT FROM copied_payments c
    WHERE c.merchant_id = $1 AND c.payment_id = p.id AND NOT EXISTS (
      SELECT FROM touched_payments n
      WHERE n.merchant_id = $1 AND n.payment_id = c.payment_id AND n.txid >= c.horizon))`;

/** All that transactions below it have written is in the snapshot. */
export async function horizonOf(from: Tx): Promise<string> {
  const [row] = await ask<{ horizon: string }>(
    from,
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon',
  );
  if (row === undefined) throw new Error('the snapshot has no horizon');
  return row.horizon;
}
