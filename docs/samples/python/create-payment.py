import json
import os
from urllib.request import Request, urlopen

request = Request(
    os.environ["PAYMENT_CHECKOUT_URL"] + "/v1/payment",
    method="POST",
    headers={
        "X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"],
        "Content-Type": "application/json",
    },
    data=json.dumps(
        {
            "pay_amount": "25.00",
            "order_id": "order-1",
            "success_url": "https://shop.example/thanks",
        }
    ).encode(),
)
with urlopen(request, timeout=30) as response:
    payment = json.load(response)
print(payment["id"], payment["checkout_url"])
