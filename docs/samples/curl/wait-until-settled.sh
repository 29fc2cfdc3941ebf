payment="$PAYMENT_CHECKOUT_URL/v1/payment/$PAYMENT_ID"

# With a test key only: pays what is missing, as the customer does.
curl --silent --show-error --fail-with-body --output /dev/null --request POST \
  "$PAYMENT_CHECKOUT_URL/v1/sandbox/payments/$PAYMENT_ID/transfers" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY"

while true; do
  body=$(curl --silent --show-error --fail-with-body "$payment" --header "X-API-Key: $PAYMENT_CHECKOUT_KEY") || exit 1
  status=$(printf '%s' "$body" | sed 's/.*"status":"\([A-Z]*\)".*/\1/')
  echo "$status"
  case $status in SETTLED | EXPIRED | FAILED) break ;; esac
  sleep 2
done
