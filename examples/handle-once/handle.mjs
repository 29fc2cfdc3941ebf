import { handleOnce } from 'payment-checkout/webhooks';

/** Sends one item of a settled order, once. `pool` is a pool of `pg`: that of the shop. */
export function handle(pool, event) {
  return handleOnce(pool, event, async (client, { type, metadata }) => {
    if (type !== 'checkout.settled') return;
    await client.query('UPDATE stock SET items = items - 1');
    await client.query('INSERT INTO parcels (order_id) VALUES ($1)', [metadata.orderId]);
  });
}
