// A Next.js route handler: save it as app/hooks/route.js. Other frameworks that pass a web-standard Request
// take the same function, Hono for example: app.post('/hooks', (c) => POST(c.req.raw)).
import { verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks';

// `whsec_...`; during a rotation the new and the previous secret, separated by a comma. Throws where one is
// missing or malformed: at the start, not at the first event.
const secrets = webhookSecrets(process.env.WEBHOOK_SECRET ?? process.env.WEBHOOK_SECRETS);
// In production: `handleOnce` (docs/webhooks.md), which remembers events in your database.
const events = new Map();

export async function POST(request) {
  // Signatures cover the bytes as they arrive: request.json() would lose them.
  const rawBody = new Uint8Array(await request.arrayBuffer());
  const result = verifyWebhook({ rawBody, headers: request.headers, secrets });
  if (!result.ok) {
    console.warn(`refused: ${result.reason}`);
    return new Response(null, { status: 401 });
  }
  if (!events.has(result.eventId)) {
    events.set(result.eventId, result.event);
    // On a serverless platform: `after()` of next/server, or a queue.
    setImmediate(handle, result.event);
  }
  return new Response(null, { status: 200 });
}

/** Runs after the response. Events may arrive in any order: `sequence` orders those of a payment. */
function handle({ type, sequence, data, metadata }) {
  console.log(`${type} ${sequence}: order ${metadata.orderId} is ${data.checkout.status}`);
}
