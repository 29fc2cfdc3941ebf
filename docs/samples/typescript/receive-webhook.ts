import { createServer } from 'node:http';
import { verifyWebhook, webhookSecrets } from 'payment-checkout/webhooks';

// Throws where the secret is missing or malformed: at the start, not at the first event.
const secrets = webhookSecrets(process.env.WEBHOOK_SECRET);

const server = createServer((request, response) => {
  // Signatures cover the bytes as they arrive: nothing parses them before.
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const result = verifyWebhook({ rawBody: Buffer.concat(chunks), headers: request.headers, secrets });
    if (!result.ok) {
      console.log('refused:', result.reason);
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200).end();
    // In production: remember the event's id in your database, with `handleOnce` for example.
    const { type, sequence, data, metadata } = result.event;
    console.log(`${type} ${sequence}: order ${metadata.orderId} is ${data.checkout.status}`);
  });
});

server.listen(Number(process.env.PORT ?? 4000), () => console.log('listening'));
