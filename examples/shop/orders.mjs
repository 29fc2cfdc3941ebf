import { HANDLED_EVENTS_TABLE } from 'payment-checkout/webhooks';

/** Creates what is missing. `pool` is a pool of `pg`, as everywhere in this file. */
export async function createTables(pool) {
  await pool.query(HANDLED_EVENTS_TABLE);
  await pool.query(`CREATE TABLE IF NOT EXISTS orders (
    id text PRIMARY KEY,
    amount text NOT NULL,
    state text NOT NULL DEFAULT 'new',
    checkout_url text,
    note text
  )`);
  // One parcel an order, whatever happens.
  await pool.query(`CREATE TABLE IF NOT EXISTS parcels (
    order_id text PRIMARY KEY REFERENCES orders,
    cancelled boolean NOT NULL DEFAULT false
  )`);
}

/** Notes an order before its payment is created: a payment without an order could not be fulfilled. */
export async function addOrder(pool, { id, amount }) {
  await pool.query('INSERT INTO orders (id, amount) VALUES ($1, $2) ON CONFLICT DO NOTHING', [id, amount]);
}

export async function setCheckoutUrl(pool, id, url) {
  await pool.query('UPDATE orders SET checkout_url = $2 WHERE id = $1', [id, url]);
}

/** The order, with `hasParcel`; undefined: there is none. */
export async function readOrder(pool, id) {
  const { rows } = await pool.query(
    `SELECT orders.*, parcels.order_id IS NOT NULL AND NOT cancelled AS "hasParcel"
     FROM orders LEFT JOIN parcels ON order_id = id WHERE id = $1`,
    [id],
  );
  return rows[0];
}

/** What each type of event means to this shop. The events of a payment come here in order, and each once. */
const HANDLERS = {
  'checkout.created': async () => {},
  'checkout.pending': (client, { id, checkout }) => {
    const isShort = checkout.exceptions.includes('underpaid');
    return setState(client, id, isShort ? 'underpaid' : 'seen');
  },
  'checkout.processing': (client, { id }) => setState(client, id, 'confirmed'),
  // The only one that fulfils.
  'checkout.settled': async (client, { id }) => {
    await setState(client, id, 'paid');
    // An order of this shop, and once, however many payments were made for it.
    await client.query(
      'INSERT INTO parcels (order_id) SELECT id FROM orders WHERE id = $1 ON CONFLICT DO NOTHING',
      [id],
    );
  },
  // Money may still come after EXPIRED: then pending and settled follow, and the order is fulfilled after all.
  'checkout.failed': (client, { id, checkout }) =>
    setState(client, id, checkout.status === 'EXPIRED' ? 'expired' : 'failed'),
  'checkout.refunded': async (client, { id, checkout, refund }) => {
    await setNote(client, id, `${refund.coinAmount} ${refund.coin} went back.`);
    if (checkout.status !== 'REFUNDED') return;
    await setState(client, id, 'refunded');
    await client.query('UPDATE parcels SET cancelled = true WHERE order_id = $1', [id]);
  },
  // Nothing is owed for it. Somebody in the shop decides whether to refund it.
  'checkout.funds_received': (client, { id, transfer }) =>
    setNote(client, id, `${transfer.amount} ${transfer.coin} came in addition. We will write to you.`),
};

/** Changes the order as an event says, in the transaction of `client`. */
export async function applyEvent(client, { type, data, metadata }) {
  // A type that is added later means nothing to this shop.
  await HANDLERS[type]?.(client, { id: metadata.orderId, ...data });
}

async function setState(client, id, state) {
  await client.query('UPDATE orders SET state = $2 WHERE id = $1', [id, state]);
}

async function setNote(client, id, note) {
  await client.query('UPDATE orders SET note = $2 WHERE id = $1', [id, note]);
}
