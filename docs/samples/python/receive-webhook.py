import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# During a rotation there are two, separated by a comma.
SECRETS = [secret.strip().encode() for secret in os.environ["WEBHOOK_SECRET"].split(",")]
TOLERANCE_SECONDS = 300


def is_genuine(body, timestamp, signature):
    signed = timestamp.encode() + b"." + body
    expected = [hmac.new(secret, signed, hashlib.sha256).hexdigest().encode() for secret in SECRETS]
    if not any(hmac.compare_digest(one, signature.encode()) for one in expected):
        return False
    return timestamp.isdigit() and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The bytes that were signed: nothing parses them before.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        timestamp = self.headers.get("X-Webhook-Timestamp", "")
        signature = self.headers.get("X-Webhook-Signature", "")
        is_event = is_genuine(body, timestamp, signature)
        self.send_response(200 if is_event else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if is_event:
            handle(json.loads(body))


def handle(event):
    # In production: remember event["id"] in your database, and do nothing where it is known.
    order, status = event["metadata"]["orderId"], event["data"]["checkout"]["status"]
    print(f"{event['type']} {event['sequence']}: order {order} is {status}", flush=True)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print("listening", flush=True)
server.serve_forever()
