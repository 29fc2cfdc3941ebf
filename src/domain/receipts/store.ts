import { recordset, runOne, run, sql, type Db, type Tx } from '../../platform/postgres/db.ts';

const createStatement = sql<never, { receipts: string }>(
  'create_receipts',
  (p) => `
  INSERT INTO receipts (event_id, payment_id)
  SELECT id, payment_id FROM json_to_recordset(${p.receipts}::json) AS receipts (id text, payment_id text)
  ORDER BY id
  ON CONFLICT DO NOTHING`,
);

/**
 * Stores that the receipts of events are to be sent, in the transaction that schedules their jobs: a job that
 * is lost is found again.
 */
export async function createReceipts(
  tx: Tx,
  events: readonly { readonly id: string; readonly payment_id: string }[],
): Promise<void> {
  if (events.length === 0) return;
  const receipts = recordset(events.map(({ id, payment_id }) => ({ id, payment_id })));
  await run(tx, createStatement, { receipts });
}

// The row is the lock: of two workers one inserts or updates it, and the other waits for that statement only,
// then finds it leased.
const leaseStatement = sql<{ attempts: number }, { eventId: string; systemNow: Date; leasedUntil: Date }>(
  'lease_receipt',
  (p) => `
  INSERT INTO receipts (event_id, payment_id, attempts, leased_until)
  SELECT id, payment_id, 1, ${p.leasedUntil} FROM events WHERE id = ${p.eventId}
  ON CONFLICT (event_id) DO UPDATE
    SET attempts = receipts.attempts + 1, leased_until = excluded.leased_until
    WHERE receipts.sent_at IS NULL AND receipts.given_up_at IS NULL
      AND (receipts.leased_until IS NULL OR receipts.leased_until <= ${p.systemNow})
  RETURNING attempts`,
);
const isUnfinished = sql<{ unfinished: boolean }, { eventId: string }>(
  'is_receipt_unfinished',
  (p) => `
  SELECT sent_at IS NULL AND given_up_at IS NULL AS unfinished
  FROM receipts WHERE event_id = ${p.eventId} AND EXISTS (SELECT FROM events WHERE id = event_id)`,
);

/**
 * Leases the sending of an event's receipt until `leasedUntil` (by the system clock, as `systemNow`). Returns
 * the number of this attempt; `busy` while another worker has the lease; `over` when the receipt was sent or
 * given up, or when its event is gone.
 */
export async function leaseReceipt(
  db: Db,
  eventId: string,
  systemNow: Date,
  leasedUntil: Date,
): Promise<number | 'busy' | 'over'> {
  const leased = await runOne(db, leaseStatement, { eventId, systemNow, leasedUntil });
  if (leased !== null) return leased.attempts;
  return (await runOne(db, isUnfinished, { eventId }))?.unfinished === true ? 'busy' : 'over';
}

const sentStatement = sql<never, { eventId: string; now: Date }>(
  'mark_receipt_sent',
  (p) => `UPDATE receipts SET sent_at = ${p.now}, leased_until = NULL WHERE event_id = ${p.eventId}`,
);
const failedStatement = sql<never, { eventId: string; error: string; givenUpAt: Date | null }>(
  'mark_receipt_failed',
  (p) => `
  UPDATE receipts SET given_up_at = ${p.givenUpAt}, last_error = ${p.error}, leased_until = NULL
  WHERE event_id = ${p.eventId} AND sent_at IS NULL`,
);

/** Records that the mail server has accepted the receipt. */
export async function markSent(db: Db, eventId: string, now: Date): Promise<void> {
  await run(db, sentStatement, { eventId, now });
}

/** Records why an attempt failed and, by `givenUpAt`, that it was the last; releases the lease. */
export async function markFailed(
  db: Db,
  eventId: string,
  error: string,
  givenUpAt: Date | null,
): Promise<void> {
  await run(db, failedStatement, { eventId, error: error.slice(0, 500), givenUpAt });
}

const discardStatement = sql<never, { eventIds: readonly string[]; now: Date }>(
  'discard_receipts',
  (p) => `
  UPDATE receipts SET given_up_at = ${p.now}, last_error = 'no mail server is configured'
  WHERE event_id = ANY (${p.eventIds}) AND sent_at IS NULL AND given_up_at IS NULL`,
);

/** Records that receipts are not sent, because there is no mail server. */
export async function discardReceipts(db: Db, eventIds: readonly string[], now: Date): Promise<void> {
  await run(db, discardStatement, { eventIds, now });
}
