"""Verifies webhooks with the standard library alone (docs/webhooks.md, "Verify")."""

import base64
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300
MIN_KEY_BYTES = 24


class Refused(Exception):
    """The request is not a recent and unaltered event. Its text is for the log, not for the sender."""


class Secret:
    """A secret, `whsec_...`. Raises ValueError for anything else."""

    def __init__(self, text):
        self.text = text.encode()
        prefix, _, encoded = text.partition("_")
        if prefix != "whsec" or not encoded:
            raise ValueError("a webhook secret begins with whsec_: GET /v1/webhooks/secrets returns it")
        # Standard Webhooks' key is the decoded bytes, the other signature's key is the whole text.
        self.key = base64.b64decode(encoded, validate=True)
        if len(self.key) < MIN_KEY_BYTES:
            raise ValueError("a webhook secret has been cut off")


def webhook_secrets(text):
    """The secrets of an environment variable, separated by commas: two while a rotation overlaps."""
    secrets = [Secret(part.strip()) for part in (text or "").split(",") if part.strip()]
    if not secrets:
        raise ValueError("a webhook secret is needed: set WEBHOOK_SECRET")
    return secrets


def verify(body, headers, secrets, now=None):
    """Raises Refused unless `body`, the bytes as they arrived, was signed with one of the secrets.

    `headers(name)` returns every value of a header.
    """
    if headers("webhook-signature"):
        timestamp = verify_standard(body, headers, secrets)
    else:
        timestamp = verify_timestamped(body, headers, secrets)
    # After the signature: who has none learns nothing of this clock.
    age = (time.time() if now is None else now) - int(timestamp)
    if age > TOLERANCE_SECONDS:
        raise Refused("timestamp_too_old")
    if age < -TOLERANCE_SECONDS:
        raise Refused("timestamp_too_new")


def verify_standard(body, headers, secrets):
    """Standard Webhooks: one signature for each secret in force, over `id.timestamp.body`."""
    event_id = one(headers, "webhook-id", r"\S{1,255}")
    timestamp = one(headers, "webhook-timestamp", r"[0-9]{1,12}")
    signed = f"{event_id}.{timestamp}.".encode() + body
    given = " ".join(headers("webhook-signature")).split(" ")
    for secret in secrets:
        expected = "v1," + base64.b64encode(digest(secret.key, signed)).decode()
        if any(same(signature, expected) for signature in given):
            return timestamp
    raise Refused("no_match")


def verify_timestamped(body, headers, secrets):
    """X-Webhook-Signature: by the newest secret, over `timestamp.body`."""
    signature = one(headers, "x-webhook-signature", r"[0-9a-fA-F]{64}").lower()
    timestamp = one(headers, "x-webhook-timestamp", r"[0-9]{1,12}")
    signed = f"{timestamp}.".encode() + body
    if any(same(signature, digest(secret.text, signed).hex()) for secret in secrets):
        return timestamp
    raise Refused("no_match")


def one(headers, name, pattern):
    values = headers(name)
    if not values:
        raise Refused("missing_header")
    if len(values) > 1 or not re.fullmatch(pattern, values[0], re.ASCII):
        raise Refused("malformed_header")
    return values[0]


def digest(key, signed):
    return hmac.new(key, signed, hashlib.sha256).digest()


def same(given, expected):
    """In constant time; as bytes, because a header may hold more than ASCII."""
    return hmac.compare_digest(given.encode("latin-1", "replace"), expected.encode())
