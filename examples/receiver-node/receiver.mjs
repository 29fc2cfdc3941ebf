import { createServer } from 'node:http';
import { verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks';

// `whsec_...`; during a rotation the new and the previous secret, separated by a comma. Throws where one is
// missing or malformed: at the start, not at the first event.
const secrets = webhookSecrets(process.env.WEBHOOK_SECRET ?? process.env.WEBHOOK_SECRETS);
const MAX_BODY_BYTES = 1_000_000;
// In production: `handleOnce` (docs/webhooks.md), which remembers events in your database.
const events = new Map();

/** Returns the status of the response: 401 for a request that is not from the service, 200 for an event. */
function receive(rawBody, headers) {
  const result = verifyWebhook({ rawBody, headers, secrets });
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`);
    return 401;
  }
  if (!events.has(result.eventId)) {
    events.set(result.eventId, result.event);
    setImmediate(handle, result.event);
  }
  return 200;
}

/** Runs after the response. Events may arrive in any order: `sequence` orders those of a payment. */
function handle({ type, sequence, data, metadata }) {
  console.log(`${type} ${sequence}: order ${metadata.orderId} is ${data.checkout.status}`);
}

createServer((request, response) => {
  // Signatures cover the bytes as they arrive: verify before anything parses them.
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) request.destroy();
    chunks.push(chunk);
  });
  request.on('end', () => response.writeHead(receive(Buffer.concat(chunks), request.headers)).end());
}).listen(Number(process.env.PORT ?? 4000), function () {
  console.log(`listening on port ${this.address().port}`);
});
