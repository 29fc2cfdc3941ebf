# Where events are sent from now on.
curl --silent --show-error --fail-with-body --request PUT "$PAYMENT_CHECKOUT_URL/v1/webhooks/config" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
  --header 'Content-Type: application/json' \
  --data '{ "webhookUrl": "http://localhost:4000/hooks", "enabled": true }'

# The secret that signs them: WEBHOOK_SECRET of the receiver.
curl --silent --show-error --fail-with-body "$PAYMENT_CHECKOUT_URL/v1/webhooks/secrets" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY"

# Nine cases, good and bad: what the receiver did, and what a correct one does.
curl --silent --show-error --fail-with-body --request POST "$PAYMENT_CHECKOUT_URL/v1/webhooks/examine" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY"
