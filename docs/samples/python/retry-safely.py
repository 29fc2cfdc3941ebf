import json
import os
import time
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen


def create_payment(order_id):
    # The key follows from the order: however often this runs, the order has one payment.
    request = Request(
        os.environ["PAYMENT_CHECKOUT_URL"] + "/v1/payment",
        method="POST",
        headers={
            "X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"],
            "Content-Type": "application/json",
            "Idempotency-Key": f"payment-of-{order_id}",
        },
        data=json.dumps({"pay_amount": "25.00", "order_id": order_id}).encode(),
    )
    for wait in (1, 2, 4, None):
        try:
            with urlopen(request, timeout=30) as response:
                return json.load(response)
        except HTTPError as error:
            if error.code not in (429, 500, 503) or wait is None:
                raise
            time.sleep(int(error.headers.get("Retry-After", wait)))
        except (URLError, TimeoutError):
            if wait is None:
                raise
            time.sleep(wait)


print(create_payment("order-7")["id"])
print(create_payment("order-7")["id"])
