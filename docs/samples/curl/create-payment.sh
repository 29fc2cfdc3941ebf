curl --silent --show-error --fail-with-body "$PAYMENT_CHECKOUT_URL/v1/payment" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
  --header 'Content-Type: application/json' \
  --data '{
    "pay_amount": "25.00",
    "order_id": "order-1",
    "success_url": "https://shop.example/thanks"
  }'
