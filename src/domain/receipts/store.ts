import { recordset, runOne, run, sql, type Db, type Tx } from '../../platform/postgres/db.ts';

const createReceiptsStatement = sql<never, { receipts: string }>(
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
  await run(tx, createReceiptsStatement, { receipts });
}

/** Why a customer is asked for an address: each reason is mailed once per payment. */
export type RequestReason = 'too_little' | 'too_late';

/** An event that is a reason to ask. */
export interface NewAddressRequest {
  readonly id: string;
  readonly payment_id: string;
  readonly reason: RequestReason;
}

// address_requests_once decides between two events of a payment: the second waits for the transaction of the
// first.
const createRequestsStatement = sql<{ event_id: string }, { requests: string }>(
  'create_address_requests',
  (p) => `
  INSERT INTO address_requests (event_id, payment_id, reason)
  SELECT id, payment_id, reason
  FROM json_to_recordset(${p.requests}::json) AS requests (id text, payment_id text, reason text)
  ORDER BY payment_id, reason, id
  ON CONFLICT DO NOTHING
  RETURNING event_id`,
);

/**
 * Stores address requests that are to be sent, as `createReceipts`. Returns the events of those that it
 * stored.
 */
export async function createAddressRequests(
  tx: Tx,
  requests: readonly NewAddressRequest[],
): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set();
  const stored = await run(tx, createRequestsStatement, { requests: recordset(requests) });
  return new Set(stored.map(({ event_id }) => event_id));
}

// The row is the lock: of two workers one inserts or updates it, and the other waits for that statement only,
// then finds it leased.
const leaseReceiptStatement = sql<
  { attempts: number },
  { eventId: string; systemNow: Date; leasedUntil: Date }
>(
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
const leaseRequestStatement = sql<
  { attempts: number },
  { eventId: string; systemNow: Date; leasedUntil: Date }
>(
  'lease_address_request',
  (p) => `
  UPDATE address_requests SET attempts = attempts + 1, leased_until = ${p.leasedUntil}
  WHERE event_id = ${p.eventId} AND sent_at IS NULL AND given_up_at IS NULL
    AND (leased_until IS NULL OR leased_until <= ${p.systemNow})
  RETURNING attempts`,
);

/** What was sent of one kind of mail to customers; its rows are named by their events. */
export interface MailLog {
  /**
   * Leases the sending of an event's mail until `leasedUntil` (by the system clock, as `systemNow`). Returns
   * the number of this attempt; `busy` while another worker has the lease; `over` when the mail was sent or
   * given up, or when its event is gone.
   */
  lease(db: Db, eventId: string, systemNow: Date, leasedUntil: Date): Promise<number | 'busy' | 'over'>;
  /** Records that the mail server has accepted the mail. */
  markSent(db: Db, eventId: string, now: Date): Promise<void>;
  /** Records why an attempt failed and, by `givenUpAt`, that it was the last; releases the lease. */
  markFailed(db: Db, eventId: string, error: string, givenUpAt: Date | null): Promise<void>;
  /** Records why mails are not sent. */
  discard(db: Db, eventIds: readonly string[], why: string, now: Date): Promise<void>;
}

export const receiptLog = mailLog('receipt', leaseReceiptStatement);
export const addressRequestLog = mailLog('address_request', leaseRequestStatement);

function mailLog(mail: 'receipt' | 'address_request', leaseStatement: typeof leaseReceiptStatement): MailLog {
  const isUnfinished = sql<{ unfinished: boolean }, { eventId: string }>(
    `is_${mail}_unfinished`,
    (p) => `
    SELECT sent_at IS NULL AND given_up_at IS NULL AS unfinished
    FROM ${mail}s WHERE event_id = ${p.eventId} AND EXISTS (SELECT FROM events WHERE id = event_id)`,
  );
  const sentStatement = sql<never, { eventId: string; now: Date }>(
    `mark_${mail}_sent`,
    (p) => `UPDATE ${mail}s SET sent_at = ${p.now}, leased_until = NULL WHERE event_id = ${p.eventId}`,
  );
  const failedStatement = sql<never, { eventId: string; error: string; givenUpAt: Date | null }>(
    `mark_${mail}_failed`,
    (p) => `
    UPDATE ${mail}s SET given_up_at = ${p.givenUpAt}, last_error = ${p.error}, leased_until = NULL
    WHERE event_id = ${p.eventId} AND sent_at IS NULL`,
  );
  const discardStatement = sql<never, { eventIds: readonly string[]; why: string; now: Date }>(
    `give_up_${mail}s`,
    (p) => `
    UPDATE ${mail}s SET given_up_at = ${p.now}, last_error = ${p.why}, leased_until = NULL
    WHERE event_id = ANY (${p.eventIds}) AND sent_at IS NULL AND given_up_at IS NULL`,
  );
  return {
    async lease(db, eventId, systemNow, leasedUntil) {
      const leased = await runOne(db, leaseStatement, { eventId, systemNow, leasedUntil });
      if (leased !== null) return leased.attempts;
      return (await runOne(db, isUnfinished, { eventId }))?.unfinished === true ? 'busy' : 'over';
    },
    async markSent(db, eventId, now) {
      await run(db, sentStatement, { eventId, now });
    },
    async markFailed(db, eventId, error, givenUpAt) {
      await run(db, failedStatement, { eventId, error: error.slice(0, 500), givenUpAt });
    },
    async discard(db, eventIds, why, now) {
      await run(db, discardStatement, { eventIds, why, now });
    },
  };
}
