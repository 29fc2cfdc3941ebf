import { PaymentCheckout, RateLimitError, ServerError, ValidationError } from 'payment-checkout/client';

const client = new PaymentCheckout({
  baseUrl: process.env.PAYMENT_CHECKOUT_URL,
  apiKey: process.env.PAYMENT_CHECKOUT_KEY,
});

try {
  await client.payments.create({ pay_amount: '25,00', order_id: 'order-1' });
} catch (error) {
  if (error instanceof ValidationError)
    console.log('refused:', error.details?.field, error.details?.constraint, error.requestId);
  // The client has sent these again already, as Retry-After says.
  else if (error instanceof RateLimitError || error instanceof ServerError)
    console.log('try again later:', error.status, error.requestId);
  else throw error;
}
