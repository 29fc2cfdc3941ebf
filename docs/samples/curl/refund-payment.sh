curl --silent --show-error --fail-with-body "$PAYMENT_CHECKOUT_URL/v1/payment/$PAYMENT_ID/refund" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
  --header "Idempotency-Key: refund-1-of-$PAYMENT_ID" \
  --header 'Content-Type: application/json' \
  --data '{ "amount": "5.00", "reason": "One of two shirts came back." }'
