import { PaymentCheckout } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});

// The key follows from the order: however often this runs, the order has one payment. The client sends the
// request again after a broken connection, 429 and 5xx.
const create = () =>
  client.payments.create(
    { pay_amount: '25.00', order_id: 'order-7' },
    { idempotencyKey: 'payment-of-order-7' },
  );

console.log((await create()).id);
console.log((await create()).id);
