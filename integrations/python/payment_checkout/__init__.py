"""Payments in cryptocurrency: a client of the payment checkout service, and its webhooks."""

from .client import VERSION, Client
from .http import ApiError, ConnectionFailed, PaymentCheckoutError
from .once import HANDLED_EVENTS_TABLE, MYSQL, POSTGRES, SQLITE, Dialect, handle_once
from .webhooks import Refused, verify_webhook, webhook_secrets

__version__ = VERSION
__all__ = [
    "HANDLED_EVENTS_TABLE",
    "MYSQL",
    "POSTGRES",
    "SQLITE",
    "ApiError",
    "Client",
    "ConnectionFailed",
    "Dialect",
    "PaymentCheckoutError",
    "Refused",
    "handle_once",
    "verify_webhook",
    "webhook_secrets",
]
