import { runOne, run, sql, type Db } from '../../platform/postgres/db.ts';

// The row is the lock: of two workers at once one inserts or updates it, the other waits for that statement only and then finds it
// claimed. What was sent or given up is never claimed again.
const leaseStatement = sql<{ attempts: number }>(
  'claim_receipt',
  `INSERT INTO receipts (event_id, payment_id, attempts, leased_until)
   SELECT id, payment_id, 1, $3 FROM events WHERE id = $1
   ON CONFLICT (event_id) DO UPDATE SET attempts = receipts.attempts + 1, leased_until = excluded.leased_until
     WHERE receipts.sent_at IS NULL AND receipts.given_up_at IS NULL
       AND (receipts.leased_until IS NULL OR receipts.leased_until <= $2)
   RETURNING attempts`,
);
const isOpen = sql<{ open: boolean }>(
  'is_receipt_open',
  `SELECT sent_at IS NULL AND given_up_at IS NULL AS open FROM receipts WHERE event_id = $1`,
);

/**
 * Takes the sending of an event's receipt until `leasedUntil` (real time, as `wall`). Answers the number of this attempt; `busy`
 * while somebody else has it, and `over` when it was sent or given up, or when its event is gone.
 */
export async function leaseReceipt(
  db: Db,
  eventId: string,
  systemNow: Date,
  leasedUntil: Date,
): Promise<number | 'busy' | 'over'> {
  const claimed = await runOne(db, leaseStatement, [eventId, systemNow, leasedUntil]);
  if (claimed !== null) return claimed.attempts;
  return (await runOne(db, isOpen, [eventId]))?.open === true ? 'busy' : 'over';
}

const noteSent = sql(
  'note_receipt_sent',
  `UPDATE receipts SET sent_at = $2, leased_until = NULL WHERE event_id = $1`,
);
const noteFailed = sql(
  'note_receipt_failed',
  `UPDATE receipts SET given_up_at = $2, last_error = $3, leased_until = NULL WHERE event_id = $1 AND sent_at IS NULL`,
);

/** Notes that the mail server has accepted the receipt. */
export async function markSent(db: Db, eventId: string, now: Date): Promise<void> {
  await run(db, noteSent, [eventId, now]);
}

/** Notes why it was not sent, and with `givenUpAt` that it never will be; gives the claim back. */
export async function markFailed(
  db: Db,
  eventId: string,
  error: string,
  givenUpAt: Date | null,
): Promise<void> {
  await run(db, noteFailed, [eventId, givenUpAt, error.slice(0, 500)]);
}
