import { ADDRESS_KEY } from '../payments/refunds/refund-address.ts';
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

/**
 * Why a payment's money does not pay for its order, or not yet (`incomplete`): each reason is mailed once per
 * payment.
 */
export type RequestReason = 'incomplete' | 'too_little' | 'too_late';

/** An event that is a reason to tell its customer. */
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

/** The parameters of a statement that leases a mail. */
interface Leasing {
  readonly key: string;
  readonly systemNow: Date;
  readonly leasedUntil: Date;
}

// The row is the lock: of two workers one inserts or updates it, and the other waits for that statement only,
// then finds it leased.
const leaseReceipt = sql<{ attempts: number }, Leasing>(
  'lease_receipt',
  (p) => `
  INSERT INTO receipts (event_id, payment_id, attempts, leased_until)
  SELECT id, payment_id, 1, ${p.leasedUntil} FROM events WHERE id = ${p.key}
  ON CONFLICT (event_id) DO UPDATE
    SET attempts = receipts.attempts + 1, leased_until = excluded.leased_until
    WHERE receipts.sent_at IS NULL AND receipts.given_up_at IS NULL
      AND (receipts.leased_until IS NULL OR receipts.leased_until <= ${p.systemNow})
  RETURNING attempts`,
);

const leaseRow = (table: string, isKeyed: (key: string) => string) =>
  sql<{ attempts: number }, Leasing>(
    `lease_${table}`,
    (p) => `
    UPDATE ${table} SET attempts = attempts + 1, leased_until = ${p.leasedUntil}
    WHERE ${isKeyed(p.key)} AND sent_at IS NULL AND given_up_at IS NULL
      AND (leased_until IS NULL OR leased_until <= ${p.systemNow})
    RETURNING attempts`,
  );

/** What was sent of one kind of mail to customers; a row's key names its event, its refund or its address. */
export interface MailLog {
  /**
   * Leases the sending of a mail until `leasedUntil` (by the system clock, as `systemNow`). Returns the
   * number of this attempt; `busy` while another worker has the lease; `over` when the mail was sent or given
   * up, or when what it is about is gone.
   */
  lease(db: Db, key: string, systemNow: Date, leasedUntil: Date): Promise<number | 'busy' | 'over'>;
  /** Records that the mail server has accepted the mail. */
  markSent(db: Db, key: string, now: Date): Promise<void>;
  /** Records why an attempt failed and, by `givenUpAt`, that it was the last; releases the lease. */
  markFailed(db: Db, key: string, error: string, givenUpAt: Date | null): Promise<void>;
  /** Records why a mail is not sent. */
  discard(db: Db, key: string, why: string, now: Date): Promise<void>;
}

/** SQL: the row of an event. */
const OF_EVENT = (key: string) => `event_id = ${key}`;
/** SQL: the row of an address, by an index of its payment. */
export const OF_ADDRESS = (key: string) =>
  `payment_id = split_part(${key}, '.', 1) AND ${ADDRESS_KEY} = ${key}`;
/** SQL: the event that a mail reports is not swept yet. */
const EVENT_EXISTS = 'EXISTS (SELECT FROM events WHERE id = event_id)';

export const receiptLog = mailLog('receipts', OF_EVENT, EVENT_EXISTS, leaseReceipt);
export const addressRequestLog = mailLog('address_requests', OF_EVENT, EVENT_EXISTS);
export const refundRequestLog = mailLog('refund_requests', (key) => `refund_id = ${key}`, 'true');
export const addressNoticeLog = mailLog('refund_addresses', OF_ADDRESS, 'true');

function mailLog(
  table: 'receipts' | 'address_requests' | 'refund_requests' | 'refund_addresses',
  isKeyed: (key: string) => string,
  isKept: string,
  leaseStatement = leaseRow(table, isKeyed),
): MailLog {
  const isUnfinished = sql<{ unfinished: boolean }, { key: string }>(
    `is_unfinished_in_${table}`,
    (p) => `
    SELECT sent_at IS NULL AND given_up_at IS NULL AS unfinished FROM ${table}
    WHERE ${isKeyed(p.key)} AND ${isKept}`,
  );
  const sentStatement = sql<never, { key: string; now: Date }>(
    `mark_sent_in_${table}`,
    (p) => `UPDATE ${table} SET sent_at = ${p.now}, leased_until = NULL WHERE ${isKeyed(p.key)}`,
  );
  const failedStatement = sql<never, { key: string; error: string; givenUpAt: Date | null }>(
    `mark_failed_in_${table}`,
    (p) => `
    UPDATE ${table} SET given_up_at = ${p.givenUpAt}, last_error = ${p.error}, leased_until = NULL
    WHERE ${isKeyed(p.key)} AND sent_at IS NULL AND given_up_at IS NULL`,
  );
  return {
    async lease(db, key, systemNow, leasedUntil) {
      const leased = await runOne(db, leaseStatement, { key, systemNow, leasedUntil });
      if (leased !== null) return leased.attempts;
      return (await runOne(db, isUnfinished, { key }))?.unfinished === true ? 'busy' : 'over';
    },
    async markSent(db, key, now) {
      await run(db, sentStatement, { key, now });
    },
    async markFailed(db, key, error, givenUpAt) {
      await run(db, failedStatement, { key, error: error.slice(0, 500), givenUpAt });
    },
    async discard(db, key, why, now) {
      await run(db, failedStatement, { key, error: why, givenUpAt: now });
    },
  };
}

/** A key that nobody vouches for must not become a way to send mail to strangers. */
export const MAX_TEST_MAILS = 20;

const countTestMail = sql<{ id: string }, { merchantId: string; today: string; most: number }>(
  'count_test_mail',
  (p) => `
  UPDATE merchants SET test_mails_on = ${p.today}::date,
    test_mails = CASE WHEN test_mails_on = ${p.today}::date THEN test_mails + 1 ELSE 1 END
  WHERE id = ${p.merchantId}
    AND (test_mails_on IS DISTINCT FROM ${p.today}::date OR test_mails < ${p.most})
  RETURNING id`,
);

/** Counts a mail of a test payment on the day (UTC) of `systemNow`; false: the merchant has had all of it. */
export async function mayMailTest(db: Db, merchantId: string, systemNow: Date): Promise<boolean> {
  const today = systemNow.toISOString().slice(0, 10);
  return (await runOne(db, countTestMail, { merchantId, today, most: MAX_TEST_MAILS })) !== null;
}
