cursor=''
while true; do
  page=$(curl --silent --show-error --fail-with-body --get "$PAYMENT_CHECKOUT_URL/v1/payments" \
    --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
    --data-urlencode 'status=WAITING,PENDING,PROCESSING,SETTLED' \
    --data-urlencode 'limit=100' \
    ${cursor:+--data-urlencode "cursor=$cursor"}) || exit 1
  echo "$page"
  cursor=$(printf '%s' "$page" | sed -n 's/.*"next_cursor":"\([^"]*\)".*/\1/p')
  [ -n "$cursor" ] || break
done
