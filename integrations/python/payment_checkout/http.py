"""Sends the requests of the client, with the standard library alone."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Callable
from urllib.parse import urlencode, urlsplit

# What failed and may succeed later. A request that was refused for what it says is not among them.
_RETRIED = {429, 500, 502, 503, 504}
# Who asks for a longer wait is not waited for.
_MAX_WAIT_SECONDS = 10.0
_MAX_RESPONSE_BYTES = 64_000_000


class PaymentCheckoutError(Exception):
    """What every error of the client is; none holds the API key."""


class ConnectionFailed(PaymentCheckoutError):
    """No response arrived. With the same idempotency_key the request can be sent again."""


class ApiError(PaymentCheckoutError):
    """The service, or something before it, answered with an error; its text is the service's sentence."""

    def __init__(self, status: int, body: Mapping[str, Any], retry_after: float | None) -> None:
        message = body.get("message")
        super().__init__(message if isinstance(message, str) else f"{status}, not from the service")
        self.status = status
        self.request_id: str | None = body.get("request_id")
        # On validation errors only: which field broke which rule.
        self.details: dict[str, str] | None = body.get("details")
        self.retry_after = retry_after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key is for this service alone: a redirect would take it elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Http:
    """What the client's methods send with."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """base_url is what stands before /v1. Raises ValueError for what cannot work."""
        parts = urlsplit(base_url.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("base_url must be an http(s) URL, such as https://pay.example")
        if parts.username is not None or re.search(r"/v1(/|$)", parts.path):
            raise ValueError("base_url must have no credentials, and end before /v1")
        self._base_url = base_url.strip().rstrip("/")
        self._api_key = api_key.strip()
        # Without the value in the message: it may be a key with a line feed inside.
        if not re.fullmatch(r"sk_[\x21-\x7e]+", self._api_key):
            raise ValueError("api_key must be an API key: it begins with sk_")
        self._timeout = timeout
        self._retries = retries
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def items(self, read: Callable[..., Any], **query: Any) -> Iterator[Any]:
        """All items of a list, page after page: client.items(client.list_payments, status="SETTLED")."""
        cursor = None
        while True:
            page = read(**query, **({} if cursor is None else {"cursor": cursor}))
            yield from page["data"]
            if not page["pagination"]["has_more"]:
                return
            cursor = page["pagination"]["next_cursor"]

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        file: tuple[str, bytes] | None = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Sends a request until there is a response. All attempts of a POST have one key: one effect."""
        content_type, data = file or ("application/json", None if body is None else _json(body))
        headers = {"Accept": "application/json", "X-API-Key": self._api_key}
        if data is not None:
            headers["Content-Type"] = content_type
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        url = self._base_url + path + _query(query or {})
        request = urllib.request.Request(url, data, headers, method=method)
        for attempt in range(self._retries + 1):
            try:
                return self._attempt(request)
            except PaymentCheckoutError as error:
                wait = _wait(error, attempt)
                if wait is None or attempt == self._retries:
                    raise
                self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _attempt(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return json.loads(response.read(_MAX_RESPONSE_BYTES))
        except urllib.error.HTTPError as error:
            with error:
                wait = _retry_after(error.headers.get("Retry-After"))
                raise ApiError(error.code, _object(error), wait) from None
        except (OSError, ValueError) as error:
            place = f"{request.get_method()} {urlsplit(request.full_url).path}"
            raise ConnectionFailed(f"{place}: no response of the service: {error}") from error

    @staticmethod
    def _id(value: str) -> str:
        """An id as a part of a path. What is none could name another path."""
        if not isinstance(value, str) or not re.fullmatch(r"\w+", value, re.ASCII):
            raise ValueError("an id has letters, digits and underscores only")
        return value


def _json(body: Any) -> bytes:
    return json.dumps(body, allow_nan=False).encode()


def _query(query: Mapping[str, Any]) -> str:
    """Several values are separated by commas."""
    given = {name: _word(value) for name, value in query.items() if value is not None}
    return "?" + urlencode(given) if given else ""


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else ",".join(map(str, value))


def _object(response: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        body = json.loads(response.read(_MAX_RESPONSE_BYTES))
    except (OSError, ValueError):
        return {}
    return body if isinstance(body, dict) else {}


def _retry_after(value: str | None) -> float | None:
    return float(value) if value and re.fullmatch(r"[0-9]{1,9}", value) else None


def _wait(error: PaymentCheckoutError, attempt: int) -> float | None:
    """Seconds before the next attempt; None: the error is final."""
    if isinstance(error, ApiError):
        # A network without a client of its own gets none by waiting.
        if error.status not in _RETRIED or str(error).startswith("network_unavailable"):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= _MAX_WAIT_SECONDS else None
    return 0.5 * 2**attempt
