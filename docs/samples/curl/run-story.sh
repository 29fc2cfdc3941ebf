curl --silent --show-error --fail-with-body "$PAYMENT_CHECKOUT_URL/v1/sandbox/scenarios" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
  --header 'Content-Type: application/json' \
  --data '{ "story": "late-after-partial", "ids": "stable" }'
