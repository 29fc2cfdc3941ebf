import { run, sql, type Connection } from '../../platform/postgres/db.ts';

const eventsOfPayment = sql<{ body: string }, { paymentId: string }>(
  'events_of_payment',
  (p) => `SELECT body FROM events WHERE payment_id = ${p.paymentId} ORDER BY sequence`,
);

/**
 * The bodies of a payment's events, as deliveries send them, in the order of their sequence. The caller has checked whose payment it is.
 */
export async function readEventBodies(connection: Connection, paymentId: string): Promise<string[]> {
  return (await run(connection, eventsOfPayment, { paymentId })).map(({ body }) => body);
}
