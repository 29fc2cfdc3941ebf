"""Receives webhooks with FastAPI, and fulfils each order once, in the transaction that notes its event.

WEBHOOK_SECRET=whsec_... uvicorn receiver:app --port 4000
"""

import json
import logging
import os
import sqlite3
from contextlib import closing

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool
from verify import Refused, verify, webhook_secrets

log = logging.getLogger("uvicorn.error")
# Raises where one is missing or malformed: at the start, not at the first event.
SECRETS = webhook_secrets(os.environ.get("WEBHOOK_SECRET") or os.environ.get("WEBHOOK_SECRETS"))
DATABASE = os.environ.get("DATABASE", "shop.sqlite")
MAX_BODY_BYTES = 1_000_000

app = FastAPI()


def connect():
    """Transactions are begun by hand: a second delivery waits for the first one's end."""
    return closing(sqlite3.connect(DATABASE, timeout=10, isolation_level=None))


with connect() as db:
    # One row for each payment: its events are numbered 1, 2, 3 ..., and this is the last that was handled.
    db.execute("CREATE TABLE IF NOT EXISTS handled (payment_id TEXT PRIMARY KEY, sequence INTEGER NOT NULL)")
    db.execute("CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY)")
    db.execute("CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY)")


@app.post("/hooks")
async def receive(request: Request):
    # The signatures cover these bytes: a parsed body, written again, would be others.
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return Response(status_code=413)
    try:
        verify(bytes(body), request.headers.getlist, SECRETS)
        event = json.loads(body)
    except (Refused, ValueError) as refusal:
        log.warning("refused: %s", refusal)
        return Response(status_code=401)
    # An exception is a 500, and the event comes again.
    await run_in_threadpool(handle_once, event)
    return Response(status_code=200)


def handle_once(event):
    """Handles an event unless it was handled; all that it changes is one transaction."""
    payment_id, sequence = event["data"]["checkout"]["id"], event["sequence"]
    with connect() as db:
        db.execute("BEGIN IMMEDIATE")
        try:
            is_new = db.execute("INSERT OR IGNORE INTO events (id) VALUES (?)", (event["id"],)).rowcount == 1
            if is_new:
                latest = db.execute(
                    "INSERT INTO handled (payment_id, sequence) VALUES (?, ?) ON CONFLICT (payment_id)"
                    " DO UPDATE SET sequence = excluded.sequence WHERE excluded.sequence > handled.sequence",
                    (payment_id, sequence),
                ).rowcount
                handle(db, event, is_latest=latest == 1)
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise


def handle(db, event, is_latest):
    """What the shop does. Events may come in any order: an older one must not undo what a newer one said."""
    order = event["metadata"]["orderId"]
    status = event["data"]["checkout"]["status"]
    late = "" if is_latest else ", late"
    log.info("%s %s: order %s is %s%s", event["type"], event["sequence"], order, status, late)
    if event["type"] == "checkout.settled":
        # An order that was paid twice, by two payments, is sent once.
        if db.execute("INSERT OR IGNORE INTO parcels (order_id) VALUES (?)", (order,)).rowcount == 1:
            log.info("order %s is sent", order)
