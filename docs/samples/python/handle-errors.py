import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    os.environ["PAYMENT_CHECKOUT_URL"] + "/v1/payment",
    method="POST",
    headers={
        "X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"],
        "Content-Type": "application/json",
    },
    # An amount must be text.
    data=json.dumps({"pay_amount": 25, "order_id": "order-1"}).encode(),
)
try:
    urlopen(request, timeout=30).close()
except HTTPError as response:
    error = json.load(response)
    if response.code in (429, 503):
        print("try again after", response.headers["Retry-After"], "s:", error["request_id"])
    elif "details" in error:
        details = error["details"]
        print("refused:", details["field"], details["constraint"], error["request_id"])
    else:
        raise
