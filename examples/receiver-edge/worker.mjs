// A receiver for runtimes at the edge, which have Web Crypto and nothing of Node: Cloudflare Workers, for
// one. Where there is no `env`, as in Deno, read the variable at the start.
import { verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks/edge';

export default {
  async fetch(request, env, context) {
    // Signatures cover the bytes as they arrive: request.json() would lose them.
    const rawBody = await request.arrayBuffer();
    // `whsec_...`; during a rotation the new and the previous secret, separated by a comma.
    const secrets = webhookSecrets(env.WEBHOOK_SECRET);
    const result = await verifyWebhook({ rawBody, headers: request.headers, secrets });
    if (!result.ok) {
      console.warn(`refused: ${result.reason}`);
      return new Response(null, { status: 401 });
    }
    // In production: a queue. It remembers the ids of events in your database: one may arrive twice.
    context.waitUntil(handle(result.event));
    return new Response(null, { status: 200 });
  },
};

/** Runs after the response. Events may arrive in any order: `sequence` orders those of a payment. */
async function handle({ type, sequence, data, metadata }) {
  console.log(`${type} ${sequence}: order ${metadata.orderId} is ${data.checkout.status}`);
}
