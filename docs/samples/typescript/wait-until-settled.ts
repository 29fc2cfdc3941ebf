import { PaymentCheckout } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});
const id = process.env.PAYMENT_ID ?? '';

// With a test key only: pays what is missing, as the customer does.
await client.sandbox.transfer(id);

const payment = await client.payments.waitFor(id, ['SETTLED', 'EXPIRED', 'FAILED']);
console.log(payment.status, payment.actually_paid, payment.actually_paid_currency);
