"""Verifies webhooks, with the standard library alone.

The rules are those of docs/webhooks.md, "Verify"; integrations/vectors.json holds them for all
languages.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Union, cast

if TYPE_CHECKING:
    from .schemas import Event

DEFAULT_TOLERANCE_SECONDS = 300
# Standard Webhooks asks for 24 to 64 bytes; the service's are 32. A shorter one was cut off.
_MIN_KEY_BYTES = 24
# The service sends one signature for each secret. A stranger's thousand would be work.
_MAX_SIGNATURES = 20
# Base64 that is whole, and written in the one way: decoders skip what is none.
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?")

# Headers by their names, in any case: those of a framework, a dictionary, or pairs. A value may be
# a list.
_Text = Union[str, bytes]
_Pairs = Iterable["tuple[_Text, _Text | Iterable[_Text]]"]
Headers = Union["Mapping[str, str]", "Mapping[str, Iterable[str]]", _Pairs]


class Refused(Exception):
    """The request is no recent and unaltered event of the service: answer 401.

    reason is a word for programs, such as "no_match", and the text a sentence for the log: do not
    send either.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason


class _Secret(NamedTuple):
    """A secret in both of its uses: X-Webhook-Signature's key is the text, Standard Webhooks' the bytes."""

    text: str
    key: bytes


def webhook_secrets(configured: str | None) -> list[str]:
    """Checks what is configured, such as the variable WEBHOOK_SECRET, and returns its secrets.

    It holds one, or several with commas between them, as while a rotation overlaps. Call it at the
    start: it raises ValueError where a secret is missing or malformed, which otherwise every
    request would.
    """
    return [secret.text for secret in _read_secrets(configured or "")]


def verify_webhook(
    body: bytes,
    headers: Headers,
    secrets: str | Iterable[str],
    *,
    tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
    now: float | None = None,
) -> Event:
    """Returns the event of a request that one of the secrets signed, and raises Refused for any other.

    body is the bytes as they arrived, before any parser. Where webhook-signature is present, only
    the headers of Standard Webhooks count: both secrets sign them during a rotation. An event of a
    type that is added later passes. Raises ValueError or TypeError for what no request can cause,
    such as a malformed secret.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"body must be the bytes that arrived, not {type(body).__name__}: parsed and written again, "
            "it would be others"
        )
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds must be 0 or more")
    known = _read_secrets(secrets)
    raw = bytes(body)
    given = _by_name(headers)
    if given.get("webhook-signature"):
        timestamp = _verify_standard(raw, given, known)
    else:
        timestamp = _verify_timestamped(raw, given, known)
    # After the signature: who has none learns nothing of this clock.
    age = (time.time() if now is None else now) - int(timestamp)
    if age > tolerance_seconds:
        raise Refused("timestamp_too_old", f"it was sent {age:.0f} s ago")
    if age < -tolerance_seconds:
        raise Refused("timestamp_too_new", f"it was sent {-age:.0f} s ahead of this clock")
    return _read_event(raw)


def _read_secrets(secrets: str | Iterable[str]) -> list[_Secret]:
    parts = [secrets] if isinstance(secrets, str) else list(secrets)
    texts = [text.strip() for part in parts for text in part.split(",") if text.strip()]
    if not texts:
        raise ValueError("no webhook can be verified without a secret: set WEBHOOK_SECRET")
    return [_read_secret(text) for text in texts]


def _read_secret(text: str) -> _Secret:
    # Without the value in the message: others can guess the rest of half a one.
    encoded = text[len("whsec_") :]
    if not text.startswith("whsec_") or not _BASE64.fullmatch(encoded):
        raise ValueError("a webhook secret must be whsec_ and base64, and nothing else: copy all of it")
    key = base64.b64decode(encoded)
    if len(key) < _MIN_KEY_BYTES:
        raise ValueError("a webhook secret has been cut off: copy all of it")
    return _Secret(text, key)


def _by_name(headers: Headers) -> dict[str, list[str]]:
    """All values of each header, by its name in lower case."""
    found: dict[str, list[str]] = {}
    items = getattr(headers, "items", None)
    pairs = items() if callable(items) else headers
    for name, value in cast(_Pairs, pairs):
        values = [value] if isinstance(value, (str, bytes)) else list(value)
        found.setdefault(_text(name).lower(), []).extend(_text(one) for one in values)
    return found


def _text(value: _Text) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _verify_standard(body: bytes, headers: dict[str, list[str]], secrets: list[_Secret]) -> str:
    """Standard Webhooks: one signature for each secret in force, over id.timestamp.body."""
    event_id = _one(headers, "webhook-id", r"\S{1,255}")
    timestamp = _one(headers, "webhook-timestamp", r"[0-9]{1,12}")
    given = [part for value in headers["webhook-signature"] for part in value.split(" ")]
    if not any(part.startswith(("v1,", "v1a,")) for part in given):
        raise Refused("malformed_header", "webhook-signature holds no signature of version 1")
    signatures = [part for part in given if part.startswith("v1,")][:_MAX_SIGNATURES]
    signed = f"{event_id}.{timestamp}.".encode("utf-8", "replace") + body
    for secret in secrets:
        expected = "v1," + base64.b64encode(_hmac(secret.key, signed)).decode()
        if any([_is_same(signature, expected) for signature in signatures]):
            return timestamp
    raise Refused("no_match", "no signature fits the body and any of the secrets")


def _verify_timestamped(body: bytes, headers: dict[str, list[str]], secrets: list[_Secret]) -> str:
    """X-Webhook-Signature: by the newest secret, over timestamp.body."""
    signature = _one(headers, "x-webhook-signature", r"[0-9a-fA-F]{64}").lower()
    timestamp = _one(headers, "x-webhook-timestamp", r"[0-9]{1,12}")
    signed = f"{timestamp}.".encode() + body
    for secret in secrets:
        if _is_same(signature, _hmac(secret.text.encode(), signed).hex()):
            return timestamp
    raise Refused("no_match", "the signature fits none of the secrets")


def _one(headers: dict[str, list[str]], name: str, pattern: str) -> str:
    """The header's value. Raises Refused where it is missing, is there twice, or does not match."""
    values = headers.get(name, [])
    if not values:
        raise Refused("missing_header", f"the header {name} is missing")
    if len(values) > 1 or not re.fullmatch(pattern, values[0], re.ASCII):
        raise Refused("malformed_header", f"the header {name} is malformed, or there more than once")
    return values[0]


def _hmac(key: bytes, signed: bytes) -> bytes:
    return hmac.new(key, signed, hashlib.sha256).digest()


def _is_same(given: str, expected: str) -> bool:
    """In constant time; as bytes, because a header may hold more than ASCII."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def _read_event(body: bytes) -> Event:
    try:
        event = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Refused("body_not_json", "it is signed, but the body is not JSON in UTF-8") from error
    is_object = isinstance(event, dict)
    if not (is_object and isinstance(event.get("id"), str) and isinstance(event.get("type"), str)):
        raise Refused("body_not_event", "it is signed, but the body has no id or no type")
    return cast("Event", event)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
