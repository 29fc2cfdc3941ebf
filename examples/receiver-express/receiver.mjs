import express from 'express';
import { verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks';

// `whsec_...`; during a rotation the new and the previous secret, separated by a comma. Throws where one is
// missing or malformed: at the start, not at the first event.
const secrets = webhookSecrets(process.env.WEBHOOK_SECRET ?? process.env.WEBHOOK_SECRETS);
// In production: `handleOnce` (docs/webhooks.md), which remembers events in your database.
const events = new Map();

const app = express();

// `express.raw` keeps the bytes that were signed. Mount this route before any `express.json()`.
app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
  const result = verifyWebhook({ rawBody: request.body ?? '', headers: request.headers, secrets });
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`);
    response.sendStatus(401);
    return;
  }
  if (!events.has(result.eventId)) {
    events.set(result.eventId, result.event);
    setImmediate(handle, result.event);
  }
  response.sendStatus(200);
});

/** Runs after the response. Events may arrive in any order: `sequence` orders those of a payment. */
function handle({ type, sequence, data, metadata }) {
  console.log(`${type} ${sequence}: order ${metadata.orderId} is ${data.checkout.status}`);
}

const server = app.listen(Number(process.env.PORT ?? 4000), () => {
  console.log(`listening on port ${server.address().port}`);
});
