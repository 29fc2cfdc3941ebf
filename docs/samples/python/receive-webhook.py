import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE_SECONDS = 300


def is_genuine(body, timestamp, signature):
    expected = hmac.new(SECRET, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.encode()):
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
