import json
import os
import time
from urllib.request import Request, urlopen

base_url = os.environ["PAYMENT_CHECKOUT_URL"]
headers = {"X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"]}
payment_id = os.environ["PAYMENT_ID"]

# With a test key only: pays what is missing, as the customer does.
transfers = f"{base_url}/v1/sandbox/payments/{payment_id}/transfers"
urlopen(Request(transfers, method="POST", headers=headers), timeout=30).close()

while True:
    with urlopen(Request(f"{base_url}/v1/payment/{payment_id}", headers=headers), timeout=30) as response:
        payment = json.load(response)
    print(payment["status"])
    if payment["status"] in ("SETTLED", "EXPIRED", "FAILED"):
        break
    time.sleep(2)
print(payment["actually_paid"], payment["actually_paid_currency"])
