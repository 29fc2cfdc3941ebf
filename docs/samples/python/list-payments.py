import json
import os
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = {"status": "WAITING,PENDING,PROCESSING,SETTLED", "limit": 100}
while True:
    request = Request(
        f"{os.environ['PAYMENT_CHECKOUT_URL']}/v1/payments?{urlencode(query)}",
        headers={"X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"]},
    )
    with urlopen(request, timeout=30) as response:
        page = json.load(response)
    for payment in page["data"]:
        print(payment["id"], payment["status"], payment["pay_amount"])
    if page["pagination"]["next_cursor"] is None:
        break
    query["cursor"] = page["pagination"]["next_cursor"]
