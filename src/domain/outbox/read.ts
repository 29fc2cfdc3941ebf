import { run, sql, type Connection } from '../../platform/postgres/db.ts';

const eventsOfPayment = sql<{ body: string }>(
  'events_of_payment',
  `SELECT body FROM events WHERE payment_id = $1 ORDER BY sequence`,
);

/** The bodies of a payment's events, as they were sent, in the order of their sequence. Whose payment it is the caller knows. */
export async function readEventBodies(connection: Connection, paymentId: string): Promise<string[]> {
  return (await run(connection, eventsOfPayment, [paymentId])).map(({ body }) => body);
}
