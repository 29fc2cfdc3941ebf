import { readEventBodies } from '../../outbox/outbox.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';

/** The body of an event, as it was sent. */
export type HistoryEvent = { readonly sequence: number } & Readonly<Record<string, unknown>>;

/** One attempt to deliver an event, in the time of the payment's test clock. */
export interface HistoryAttempt {
  readonly at: string;
  readonly event_id: string;
  readonly type: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
}

interface AttemptRow {
  readonly started_at: Date;
  readonly event_id: string;
  readonly type: string;
  readonly sequence: number;
  readonly number: number;
  readonly status_code: number | null;
  readonly error_class: string | null;
  readonly next_attempt_at: Date | null;
}

const attemptsOfPayment = sql<AttemptRow, { paymentId: string }>(
  'attempts_of_payment',
  (p) => `
    SELECT a.started_at, d.event_id, e.type, e.sequence, a.number, a.status_code, a.error_class,
      a.next_attempt_at
    FROM deliveries d
      JOIN events e ON e.id = d.event_id
      JOIN delivery_attempts a ON a.delivery_id = d.id
    WHERE d.payment_id = ${p.paymentId}
    ORDER BY a.started_at, e.sequence, a.number`,
);

/** Returns the events and delivery attempts of a payment so far, in order. */
export async function readHistory(
  connection: Connection,
  paymentId: string,
): Promise<{ events: HistoryEvent[]; deliveries: HistoryAttempt[] }> {
  const [bodies, attempts] = await pipelined(
    connection,
    () => readEventBodies(connection, paymentId),
    () => run(connection, attemptsOfPayment, { paymentId }),
  );
  return {
    events: bodies.map((body) => JSON.parse(body) as HistoryEvent),
    deliveries: attempts.map((attempt) => ({
      at: attempt.started_at.toISOString(),
      event_id: attempt.event_id,
      type: attempt.type,
      sequence: attempt.sequence,
      attempt: attempt.number,
      status_code: attempt.status_code,
      error: attempt.error_class,
      next_attempt_at: attempt.next_attempt_at?.toISOString() ?? null,
    })),
  };
}
