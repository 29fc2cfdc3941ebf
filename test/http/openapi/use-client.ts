import { ApiError, PaymentCheckout } from '../../../src/sdk/client/index.ts';

/**
 * Calls what the client has, for `.ci/openapi`: by way of a proxy that refuses requests and responses that
 * are not as the OpenAPI document says. Rejects at the first. Its arguments are the base URL and a key.
 */
const [baseUrl = '', apiKey = ''] = process.argv.slice(2);
const client = new PaymentCheckout({ apiKey, baseUrl, maxRetries: 0 });

const { webhooks, payments, deliveries, sandbox, events, appearance } = client;
await client.status();
// Nothing listens there: the reports say so.
const url = `http://127.0.0.1:4009/hooks`;
await webhooks.setConfig({ webhookUrl: url, enabled: true });
await webhooks.config();
await webhooks.secrets();
await webhooks.rotateSecret({ overlap_hours: 1 });
await webhooks.test({ type: 'checkout.refunded' });
await webhooks.examine({ url });
await webhooks.endpoints({ limit: 5 });

const order = { pay_amount: '10.50', order_id: 'é 漢字', metadata: { sku: 'a' } };
const created = await payments.create({
  ...order,
  callback_url: `${url}?order=1`,
  policy: { late: 'refund' },
});
await payments.get(created.id);
await sandbox.transfer(created.id, { coin: 'USDT', network: 'tron' });
// Until it is seen.
await sandbox.advance(created.id, { by: '3s' });
await sandbox.replace(created.id, { speed_up: true });
await sandbox.advance(created.id, { by: '10m' });
const { payment } = await sandbox.scenario({ story: 'refunded-in-part', seed: 'a' });
await sandbox.scenario({ payment: { pay_amount: '1' }, script: [{ at: '1m', do: 'transfer' }] });
const settled = await sandbox.scenario({ story: 'paid' });
await payments.refund(settled.payment.id, { amount: '1.00', reason: 'a gift' });
await payments.refunds(payment.id);
for await (const { id } of payments.all({ status: ['SETTLED', 'WAITING'], from_date: '2026-01-01' })) void id;
for await (const { id } of payments.allEvents(payment.id)) void id;
for await (const { id } of events.all({ type: ['checkout.settled', 'checkout.refunded'], limit: 100 }))
  void id;
const { data } = await deliveries.list({ status: ['pending', 'failed', 'delivered'], limit: 5 });
for (const { id } of data) await deliveries.get(id);
await deliveries.redeliverRange({ from_date: '2026-01-01', which: 'all' });
await webhooks.enableEndpoint();

await appearance.set({
  name: 'Shop',
  methods: [{ coin: 'BTC', network: 'bitcoin' }],
  accent_color: '#0a56c7',
});
// Not setLogo: Prism passes a body on as text, which would damage an image.
await appearance.get();
await appearance.deleteLogo();
await refusal(payments.create({ ...order, success_url: 'https://a b' }), 400);
console.log('every call is as the document says');

async function refusal(call: Promise<unknown>, status: number): Promise<void> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError) || error.status !== status)
    throw new Error(`not ${status}: ${String(error)}`);
}
