# Prints the body, and then the status on a line of its own. An amount must be text.
answer=$(curl --silent --show-error --write-out '\n%{http_code}' "$PAYMENT_CHECKOUT_URL/v1/payment" \
  --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
  --header 'Content-Type: application/json' \
  --data '{ "pay_amount": 25, "order_id": "order-1" }') || exit 1

status=$(printf '%s' "$answer" | tail -n 1)
case $status in
  2??) echo 'created' ;;
  429 | 503) echo 'wait as long as Retry-After says, and send it again' ;;
  *) printf 'refused with %s: %s\n' "$status" "$(printf '%s' "$answer" | head -n 1)" ;;
esac
