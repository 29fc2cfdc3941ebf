import { PaymentCheckout } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});

// Reads the next page when it is needed.
for await (const payment of client.payments.all({ status: ['WAITING', 'PENDING', 'PROCESSING', 'SETTLED'] }))
  console.log(payment.id, payment.status, payment.pay_amount);
