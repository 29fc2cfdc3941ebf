import { PaymentCheckout } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});

const payment = await client.payments.create({
  pay_amount: '25.00',
  order_id: 'order-1',
  success_url: 'https://shop.example/thanks',
});
console.log(payment.id, payment.checkout_url);
