# The key follows from the order: however often this runs, the order has one payment. curl sends the request
# again where it cannot connect, after 30 s, and after 408, 429, 500, 502, 503 and 504; it obeys Retry-After.
create() {
  curl --silent --show-error --fail-with-body --write-out '\n' \
    --retry 4 --retry-connrefused --max-time 30 \
    "$PAYMENT_CHECKOUT_URL/v1/payment" \
    --header "X-API-Key: $PAYMENT_CHECKOUT_KEY" \
    --header 'Idempotency-Key: payment-of-order-7' \
    --header 'Content-Type: application/json' \
    --data '{ "pay_amount": "25.00", "order_id": "order-7" }'
}

create | sed 's/.*"id":"\(pay_[^"]*\)".*/\1/'
create | sed 's/.*"id":"\(pay_[^"]*\)".*/\1/'
