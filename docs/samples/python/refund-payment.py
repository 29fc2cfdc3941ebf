import json
import os
from urllib.request import Request, urlopen

payment_id = os.environ["PAYMENT_ID"]
request = Request(
    f"{os.environ['PAYMENT_CHECKOUT_URL']}/v1/payment/{payment_id}/refund",
    method="POST",
    headers={
        "X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": f"refund-1-of-{payment_id}",
    },
    data=json.dumps({"amount": "5.00", "reason": "One of two shirts came back."}).encode(),
)
with urlopen(request, timeout=30) as response:
    refund = json.load(response)
print(refund["id"], refund["status"], refund["coin_amount"], refund["coin"])
