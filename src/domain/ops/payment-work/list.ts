import { IS_PARKED } from '../../schedule/parking.ts';
import { IS_WAITING } from '../../schedule/rows.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

/** One piece of a payment's work: what has been done, is under way, or is due. */
export interface PaymentWork {
  readonly what: 'job' | 'event' | 'delivery' | 'receipt' | 'refund' | 'conversion';
  /** A job's name, an event's type, and so on. */
  readonly name: string;
  /** What a job of a queue carries, or would. */
  readonly key: string;
  readonly state: string;
  readonly at: Date;
  readonly detail: string | null;
}

/** The most rows of each kind: a payment can get very many transfers, and an event of each. */
const MAX_OF_KIND = 200;

// Without what mail servers and receivers said, which may name the customer. A job's error is the service's
// own text.
const workOfPayment = sql<PaymentWork, { id: string }>(
  'work_of_payment',
  (p) => `
    WITH recorded AS (
      SELECT id, sequence, type, created_at FROM events WHERE payment_id = ${p.id}
      ORDER BY sequence DESC LIMIT ${MAX_OF_KIND}
    ), sent AS (
      SELECT id, event_id, endpoint_id, status, attempts, next_attempt_at, created_at FROM deliveries
      WHERE payment_id = ${p.id} ORDER BY id DESC LIMIT ${MAX_OF_KIND}
    ), returned AS (
      SELECT id, status, created_at FROM refunds
      WHERE payment_id = ${p.id} ORDER BY id DESC LIMIT ${MAX_OF_KIND}
    )
    SELECT 'job' AS what, w.job AS name, w.key,
      CASE WHEN ${IS_PARKED} THEN 'parked' WHEN ${IS_WAITING('w')} THEN 'waits for a turn'
        WHEN w.failures > 0 THEN w.failures || ' failures' ELSE 'due' END AS state,
      w.run_at AS at, left(w.last_error, 200) AS detail
    FROM scheduled_jobs w
    WHERE w.test_clock = ${p.id} OR w.key = ANY (ARRAY(
      SELECT ${p.id} UNION SELECT id FROM recorded UNION SELECT id FROM returned
      UNION SELECT endpoint_id FROM sent WHERE status = 'pending'))
    UNION ALL SELECT 'event', type, id, 'number ' || sequence, created_at, NULL FROM recorded
    UNION ALL SELECT 'delivery', s.id, s.endpoint_id, s.status, s.created_at,
      concat_ws(', ', s.attempts || ' attempts', substring(last.url FROM '^\\w+://[^/?#]*'),
        'next ' || s.next_attempt_at::text)
    FROM sent s LEFT JOIN LATERAL (
      SELECT url FROM delivery_attempts a WHERE a.delivery_id = s.id ORDER BY number DESC LIMIT 1
    ) last ON true
    UNION ALL SELECT 'receipt', 'mail', r.event_id, CASE WHEN r.sent_at IS NOT NULL THEN 'sent'
      WHEN r.given_up_at IS NOT NULL THEN 'given up' ELSE r.attempts || ' attempts' END,
      coalesce(r.sent_at, r.given_up_at, e.created_at), NULL
    FROM recorded e JOIN receipts r ON r.event_id = e.id
    UNION ALL SELECT 'refund', id, id, status, created_at, NULL FROM returned
    UNION ALL SELECT 'conversion', coin || ' on ' || network, payment_id, status, created_at, NULL
    FROM conversions WHERE payment_id = ${p.id}
    ORDER BY at DESC, what, name`,
);

/** Returns a payment's work, latest first. */
export function listPaymentWork(connection: Connection, id: string): Promise<PaymentWork[]> {
  return run(connection, workOfPayment, { id });
}
