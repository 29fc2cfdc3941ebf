import { PaymentCheckout } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});

const scenario = await client.sandbox.scenario({ story: 'late-after-partial', ids: 'stable' });
for (const { at, from, to, event } of scenario.transitions) console.log(at, from, '->', to, event);
