import Fastify from 'fastify';
import { verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks';

// `whsec_...`; during a rotation the new and the previous secret, separated by a comma. Throws where one is
// missing or malformed: at the start, not at the first event.
const secrets = webhookSecrets(process.env.WEBHOOK_SECRET ?? process.env.WEBHOOK_SECRETS);
// In production: `handleOnce` (docs/webhooks.md), which remembers events in your database.
const events = new Map();

const app = Fastify({ bodyLimit: 1_000_000 });

// A plugin's content type parsers apply to its own routes only: every other route still gets parsed JSON.
app.register(async (webhooks) => {
  webhooks.removeAllContentTypeParsers();
  webhooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  webhooks.post('/hooks', async (request, reply) => {
    const result = verifyWebhook({ rawBody: request.body ?? '', headers: request.headers, secrets });
    if (!result.ok) {
      console.warn(`refused: ${result.reason}`);
      return reply.code(401).send();
    }
    if (!events.has(result.eventId)) {
      events.set(result.eventId, result.event);
      setImmediate(handle, result.event);
    }
    return reply.code(200).send();
  });
});

/** Runs after the response. Events may arrive in any order: `sequence` orders those of a payment. */
function handle({ type, sequence, data, metadata }) {
  console.log(`${type} ${sequence}: order ${metadata.orderId} is ${data.checkout.status}`);
}

const address = await app.listen({ port: Number(process.env.PORT ?? 4000) });
console.log(`listening on port ${new URL(address).port}`);
