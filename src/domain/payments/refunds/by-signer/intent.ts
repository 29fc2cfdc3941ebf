import { createHash } from 'node:crypto';
import { run, runOne, sql, type Connection, type Tx } from '../../../../platform/postgres/db.ts';
import { IS_AWAITED, IS_COMPLETED } from '../states.ts';

/** What the signer is asked to pay. None of it is believed by who signs: limits are. */
export interface Intent {
  readonly refund_id: string;
  readonly payment_id: string;
  readonly merchant_id: string;
  readonly network: string;
  readonly coin: string;
  /** Decimal string in the coin. */
  readonly amount: string;
  readonly address: string;
}

/** What an approval signs, and what a signature remembers: all that an intent says. */
export function intentHash(intent: Intent): string {
  const { refund_id, payment_id, merchant_id, network, coin, amount, address } = intent;
  const said = ['payout', 1, refund_id, payment_id, merchant_id, network, coin, amount, address];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

// The worker's role may only insert, and read nothing: no column is named in ON CONFLICT.
const insertIntent = sql<never, Intent & { now: Date }>(
  'insert_payout_intent',
  (p) => `
    INSERT INTO payout_intents
      (refund_id, payment_id, merchant_id, network, coin, amount, address, created_at)
    VALUES (${p.refund_id}, ${p.payment_id}, ${p.merchant_id}, ${p.network}, ${p.coin}, ${p.amount},
      ${p.address}, ${p.now})
    ON CONFLICT DO NOTHING`,
);

/** Asks the signer to pay a refund: once, whoever asks again. */
export async function askSigner(tx: Tx, intent: Intent, now: Date): Promise<void> {
  await runOne(tx, insertIntent, { ...intent, now });
}

interface Stop {
  readonly id: string;
  /** What has completed the refund. */
  readonly txHash: string;
  readonly now: Date;
}

const insertStop = sql<never, Stop>(
  'stop_payout',
  (p) => `
    INSERT INTO payout_stops (refund_id, created_at, tx_hash) VALUES (${p.id}, ${p.now}, ${p.txHash})
    ON CONFLICT DO NOTHING`,
);

/** Tells the signer that a refund is completed: where somebody else has paid it, it is not paid again. */
export async function stopPayout(tx: Tx, stop: Stop): Promise<void> {
  await run(tx, insertStop, stop);
}

/** An intent with what operators have said of it. */
export interface DecidedIntent extends Intent {
  /** Its refund is completed. */
  readonly is_stopped: boolean;
  readonly created_at: Date;
  readonly approved_by: string | null;
  readonly approval: string | null;
  readonly held_by: string | null;
}

export const INTENT_COLUMNS = `i.refund_id, i.payment_id, i.merchant_id, i.network, i.coin, i.amount, i.address,
      i.created_at, i.approved_by, i.approval, i.held_by,
      EXISTS (SELECT FROM payout_stops s WHERE s.refund_id = i.refund_id) AS is_stopped`;

const intentOfRefund = sql<DecidedIntent, { id: string }>(
  'payout_intent_of_refund',
  (p) => `SELECT ${INTENT_COLUMNS} FROM payout_intents i WHERE i.refund_id = ${p.id}`,
);

/** Returns what the signer was asked to pay for a refund; null: nothing. */
export async function readIntent(connection: Connection, id: string): Promise<DecidedIntent | null> {
  return runOne(connection, intentOfRefund, { id });
}

/**
 * SQL: the signer has paid the payout in the row `o`, and another transaction has completed its refund, in
 * the row `r`.
 */
export const IS_PAID_TWICE = (o: string, r: string): string =>
  `${o}.state = 'paid' AND ${IS_COMPLETED(r)} AND ${r}.tx_hash <> ${o}.tx_hash`;

/**
 * SQL: what the signer holds for a person: accounts, and payouts that nobody has paid by hand and no operator
 * holds, who has looked. What a provider calls final and the watcher has not found. And what was paid twice
 * within a month, until an operator holds it.
 */
export const HELD_PAYOUTS = (now: string): string => `
      SELECT network || ' ' || address AS what, held_because AS because, seen_at AS since
      FROM payout_accounts WHERE held_because IS NOT NULL
      UNION ALL
      SELECT o.refund_id, o.because, o.looked_at
      FROM payouts o LEFT JOIN payout_intents i ON i.refund_id = o.refund_id
        LEFT JOIN refunds r ON r.id = o.refund_id
      WHERE o.state IN ('held', 'cancelled') AND i.held_by IS NULL AND (${IS_COMPLETED('r')}) IS NOT TRUE
      UNION ALL
      SELECT o.refund_id, 'a provider says that it is paid, and the watcher has not found it', o.looked_at
      FROM refunds r JOIN payouts o ON o.refund_id = r.id
      WHERE ${IS_AWAITED('r')} AND o.state = 'paid' AND o.looked_at < ${now}::timestamptz - interval '2 hours'
      UNION ALL
      SELECT o.refund_id, 'it was paid twice: by the signer, and by ' || r.tx_hash, s.created_at
      FROM payout_stops s JOIN payouts o ON o.refund_id = s.refund_id JOIN refunds r ON r.id = s.refund_id
        LEFT JOIN payout_intents i ON i.refund_id = s.refund_id
      WHERE s.created_at > ${now}::timestamptz - interval '30 days' AND i.held_by IS NULL
        AND ${IS_PAID_TWICE('o', 'r')}`;
