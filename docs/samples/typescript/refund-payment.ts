import { PaymentCheckout } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});
const id = process.env.PAYMENT_ID ?? '';

const refund = await client.payments.refund(
  id,
  { amount: '5.00', reason: 'One of two shirts came back.' },
  { idempotencyKey: `refund-1-of-${id}` },
);
console.log(refund.id, refund.status, refund.coin_amount, refund.coin);
