import { dependsOnChain, isOpen } from '../../payments/lifecycle/states.ts';
import { lockAll, readPayments } from '../../payments/lifecycle/store.ts';
import { HAS_QUARANTINED } from '../../payments/lifecycle/quarantine.ts';
import { recordset, run, runOne, sql, type Db, type Tx } from '../../../platform/postgres/db.ts';
import type { EventEnvelope } from '../../../sdk/event-types.ts';
import { ERASED_ADDRESS } from '../../payments/refunds/by-merchant/payout-transfers.ts';
import { IS_OPEN } from '../../payments/refunds/states.ts';

const whatWaits = sql<{ refunds: number; is_quarantined: boolean }, { id: string }>(
  'what_waits_of_payment',
  (p) => `
    SELECT ${HAS_QUARANTINED(p.id)} AS is_quarantined,
      (SELECT count(*)::int FROM refunds r
       WHERE payment_id = ${p.id} AND ${IS_OPEN('r')}) AS refunds`,
);

const erasePayment = sql<never, { id: string }>(
  'erase_payment',
  (p) => `
    WITH payment AS (
      UPDATE payments SET customer_email = NULL, order_description = NULL, success_url = NULL,
        cancel_url = NULL, language = NULL, metadata = '{}'
      WHERE id = ${p.id}
    ), refund AS (
      UPDATE refunds SET address = NULL, reason = NULL, problem = NULL WHERE payment_id = ${p.id}
    ), psbt AS (
      UPDATE refund_psbts SET psbt = NULL, address = NULL WHERE refund_id IN (
        SELECT id FROM refunds WHERE payment_id = ${p.id})
    ), paid AS (
      UPDATE payout_transfers t SET address = ${ERASED_ADDRESS('t.tx_hash', 't.address')}
      WHERE refund_id IN (SELECT id FROM refunds WHERE payment_id = ${p.id} AND address IS NOT NULL)
    ), intent AS (
      DELETE FROM payout_intents WHERE refund_id IN (SELECT id FROM refunds WHERE payment_id = ${p.id})
    ), signed AS (
      UPDATE payouts SET raws = '{}' WHERE refund_id IN (SELECT id FROM refunds WHERE payment_id = ${p.id})
    ), announced AS (
      DELETE FROM announced_transactions WHERE payment_id = ${p.id}
    ), awaited AS (
      DELETE FROM awaited_transactions WHERE payment_id = ${p.id}
    ), given AS (
      DELETE FROM refund_addresses WHERE payment_id = ${p.id}
    )
    UPDATE transfers SET sender = NULL WHERE payment_id = ${p.id}`,
);

// What mail servers and receivers responded may name the customer as well.
const eraseLogs = sql<never, { id: string }>(
  'erase_logs_of_payment',
  (p) => `
    WITH receipt AS (
      UPDATE receipts SET last_error = NULL WHERE event_id IN (
        SELECT id FROM events WHERE payment_id = ${p.id})
    ), request AS (
      UPDATE address_requests SET last_error = NULL WHERE event_id IN (
        SELECT id FROM events WHERE payment_id = ${p.id})
    ), refund_request AS (
      UPDATE refund_requests SET last_error = NULL WHERE refund_id IN (
        SELECT id FROM refunds WHERE payment_id = ${p.id})
    ), job AS (
      UPDATE scheduled_jobs SET last_error = NULL WHERE last_error IS NOT NULL AND key IN (
        SELECT id FROM events WHERE payment_id = ${p.id} UNION ALL SELECT ${p.id})
    )
    UPDATE delivery_attempts SET error_detail = NULL, response_excerpt = NULL WHERE delivery_id IN (
      SELECT id FROM deliveries WHERE payment_id = ${p.id})`,
);

const eventBodies = sql<{ id: string; body: string }, { id: string }>(
  'bodies_to_erase',
  (p) => `SELECT id, body FROM events WHERE payment_id = ${p.id}`,
);
const replaceBodies = sql<never, { bodies: string }>(
  'replace_event_bodies',
  (p) => `
    UPDATE events e SET body = b.body
    FROM json_to_recordset(${p.bodies}::json) AS b (id text, body text) WHERE e.id = b.id`,
);

/**
 * Erases what says who the customer of a payment is, for good. Returns null, or why it cannot be erased yet:
 * what is unfinished needs it. Waits for a transition of the payment, and the next one waits for this, so
 * that no event is recorded with what was read before.
 */
export function erasePersonalData(db: Db, id: string): Promise<string | null> {
  return db.transaction(async (tx) => {
    await lockAll(tx, [id]);
    const reason = await whyNotYet(tx, id);
    if (reason !== null) return reason;
    await run(tx, erasePayment, { id });
    const events = await run(tx, eventBodies, { id });
    const bodies = events.map((event) => ({ id: event.id, body: withoutCustomer(event.body) }));
    await run(tx, replaceBodies, { bodies: recordset(bodies) });
    await run(tx, eraseLogs, { id });
    return null;
  });
}

async function whyNotYet(tx: Tx, id: string): Promise<string | null> {
  const [payment] = await readPayments(tx, [id]);
  if (payment === undefined) return 'it does not exist any more';
  const { status } = payment;
  if (isOpen(status) || dependsOnChain(status))
    return `it is ${status}: wait until it has ended, or cancel it`;
  const waiting = await runOne(tx, whatWaits, { id });
  if (waiting === null || waiting.is_quarantined) return 'transfers of it are quarantined';
  return waiting.refunds === 0 ? null : `${waiting.refunds} refunds of it are not completed`;
}

/** The body of an event with the order of its keys, without what may say who the customer is. */
function withoutCustomer(body: string): string {
  const event = JSON.parse(body) as EventEnvelope;
  const { refund } = event.data;
  return JSON.stringify({
    ...event,
    data: {
      ...event.data,
      ...(refund === undefined ? {} : { refund: { ...refund, reason: null, address: null } }),
    },
    metadata: { orderId: event.metadata.orderId },
  });
}
