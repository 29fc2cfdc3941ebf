import json
import os
from urllib.request import Request, urlopen

request = Request(
    os.environ["PAYMENT_CHECKOUT_URL"] + "/v1/sandbox/scenarios",
    method="POST",
    headers={
        "X-API-Key": os.environ["PAYMENT_CHECKOUT_KEY"],
        "Content-Type": "application/json",
    },
    data=json.dumps({"story": "late-after-partial", "ids": "stable"}).encode(),
)
with urlopen(request, timeout=30) as response:
    scenario = json.load(response)
for step in scenario["transitions"]:
    print(step["at"], step["from"], "->", step["to"], step["event"])
