import { randomUUID } from 'node:crypto';
import express from 'express';
import pg from 'pg';
import { NotFoundError, PaymentCheckout } from 'payment-checkout/client';
import { handleOnce, verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks';
import { addOrder, applyEvent, createTables, readOrder, setCheckoutUrl } from './orders.mjs';
import { messagePage, orderPage, productPage } from './pages.mjs';

// The coin is the one in which the service settles this merchant's payments.
const PRODUCT = { name: 'A shirt', description: 'Cotton, size M.', price: '25.00', currency: 'USDC' };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const { DATABASE_URL, PAYMENT_CHECKOUT_KEY, PAYMENT_CHECKOUT_URL, PORT = 4000 } = process.env;
const secrets = webhookSecrets(process.env.WEBHOOK_SECRET ?? process.env.WEBHOOK_SECRETS);
const client = new PaymentCheckout({ apiKey: PAYMENT_CHECKOUT_KEY, baseUrl: PAYMENT_CHECKOUT_URL });
const pool = new pg.Pool({ connectionString: DATABASE_URL });
await createTables(pool);

const app = express();

// The order has its id before it is bought: whoever clicks twice, or sends the form again, has one order. The
// id cannot be guessed, because whoever knows it sees the order.
app.get('/', (_request, response) => {
  response.set('Cache-Control', 'no-store').send(productPage(PRODUCT, randomUUID()));
});

app.post('/buy', express.urlencoded({ extended: false }), async (request, response) => {
  const { order: id } = request.body ?? {};
  if (typeof id !== 'string' || !UUID.test(id)) {
    response.status(400).send(messagePage('Please try again', 'The form was not complete.'));
    return;
  }
  await addOrder(pool, { id, amount: PRODUCT.price });
  const orderUrl = `${shopUrl()}/orders/${id}`;
  const payment = await client.payments.create(
    {
      // The price is the shop's: nothing that the browser sends decides it.
      pay_amount: PRODUCT.price,
      order_id: id,
      order_description: PRODUCT.name,
      success_url: orderUrl,
      cancel_url: orderUrl,
    },
    // The same key is the same payment, also after a timeout, a retry or a second click.
    { idempotencyKey: id },
  );
  await setCheckoutUrl(pool, id, payment.checkout_url);
  response.redirect(303, payment.checkout_url);
});

// Where customers return. That they are here proves nothing: the events say what was paid.
app.get('/orders/:id', async (request, response) => {
  const order = await readOrder(pool, request.params.id);
  if (order === undefined) response.status(404).send(messagePage('Not found', 'There is no such order.'));
  else response.set('Cache-Control', 'no-store').send(orderPage(order));
});

// `express.raw` keeps the bytes that were signed.
app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
  const result = verifyWebhook({ rawBody: request.body ?? '', headers: request.headers, secrets });
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`);
    response.sendStatus(401);
    return;
  }
  // Order and event change in one transaction: a second delivery finds both done, or neither. Where it throws
  // the response is a 500, and the event comes again.
  const handled = await handleOnce(pool, result.event, applyEvent, { fetchMissing });
  console.log(`${result.event.type} ${result.event.sequence}: ${handled.length} handled`);
  response.sendStatus(200);
});

/** The events of a payment that have not arrived: `checkout.refunded` may overtake `checkout.settled`. */
async function fetchMissing(paymentId, { after, before }) {
  const missing = [];
  try {
    for await (const event of client.payments.allEvents(paymentId, { timeoutMs: 5_000 }))
      if (event.sequence > after && event.sequence < before) missing.push(event);
  } catch (error) {
    // A test event is about a payment that does not exist.
    if (!(error instanceof NotFoundError)) throw error;
  }
  return missing;
}

app.use((error, _request, response, _next) => {
  console.error(error);
  response.status(500).send(messagePage('Please try again', 'Something went wrong on our side.'));
});

const server = app.listen(Number(PORT), () => console.log(`listening on port ${server.address().port}`));

/** Where customers reach this shop. */
function shopUrl() {
  return process.env.SHOP_URL ?? `http://localhost:${server.address().port}`;
}
