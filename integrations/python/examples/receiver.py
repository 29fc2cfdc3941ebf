"""Receives webhooks, and fulfils each order once. Needs nothing beside Python and the package.

WEBHOOK_SECRET=whsec_... python3 receiver.py
"""

import os
import sqlite3
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from payment_checkout import HANDLED_EVENTS_TABLE, Refused, handle_once, verify_webhook, webhook_secrets

# Raises where one is missing or malformed: at the start, not at the first event.
SECRETS = webhook_secrets(os.environ.get("WEBHOOK_SECRET"))
DATABASE = os.environ.get("DATABASE", "shop.sqlite")
MAX_BODY_BYTES = 1_000_000


def fulfil(db, event):
    """What the shop does, in the transaction that remembers the event."""
    order = event["metadata"]["orderId"]
    print(f"{event['type']} {event['sequence']}: order {order}", flush=True)
    if event["type"] == "checkout.settled":
        # An order that was paid twice, by two payments, is sent once.
        db.execute("INSERT OR IGNORE INTO parcels (order_id) VALUES (?)", (order,))


class Receiver(BaseHTTPRequestHandler):
    timeout = 30

    def do_POST(self):
        self.send_response(self.receive())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def receive(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return 413
        try:
            event = verify_webhook(self.rfile.read(int(length)), self.headers, SECRETS)
        except Refused as refusal:
            print(f"refused: {refusal}", flush=True)
            return 401
        with closing(sqlite3.connect(DATABASE, timeout=10)) as db:
            handle_once(db, event, fulfil)
        return 200


with closing(sqlite3.connect(DATABASE)) as db:
    db.execute(HANDLED_EVENTS_TABLE)
    db.execute("CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY)")

server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
