"""The client: a method for each operation of the API.

Written by npm run integrations, from the OpenAPI document of the service.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import schemas
from .http import Http

VERSION = "0.1.0"


class Client(Http):
    """A client of the REST API: Client("https://pay.example", "sk_test_...")."""

    def get_status(self) -> schemas.StatusReport:
        """Reports the health of the API, and whether a key is valid."""
        return self._send("GET", "/v1/status")

    def create_payment(
        self,
        body: schemas.CreatePaymentRequest,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.Payment:
        """Creates a payment and returns its checkout URL."""
        return self._send("POST", "/v1/payment", body=body, idempotency_key=idempotency_key)

    def get_payment(self, id: str) -> schemas.Payment:
        """Returns a payment as it is now."""
        return self._send("GET", f"/v1/payment/{self._id(id)}")

    def list_payments(
        self,
        *,
        page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | Sequence[str] | None = None,
        order_id: str | None = None,
        from_date: str | None = None,
        to_date: str | None = None,
    ) -> schemas.PaymentList:
        """Lists the merchant's payments, newest first."""
        return self._send(
            "GET",
            "/v1/payments",
            query={
                "page": page,
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "order_id": order_id,
                "from_date": from_date,
                "to_date": to_date,
            },
        )

    def cancel_payment(self, id: str, *, idempotency_key: str | None = None) -> schemas.Payment:
        """Cancels a payment that waits for money."""
        return self._send(
            "POST",
            f"/v1/payment/{self._id(id)}/cancel",
            idempotency_key=idempotency_key,
        )

    def refund_payment(
        self,
        id: str,
        body: schemas.RefundRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.Refund:
        """Sends money back to the customer: an amount, or everything that is left."""
        return self._send(
            "POST",
            f"/v1/payment/{self._id(id)}/refund",
            body=body,
            idempotency_key=idempotency_key,
        )

    def list_refunds(self, id: str) -> schemas.RefundList:
        """Lists a payment's refunds, newest first."""
        return self._send("GET", f"/v1/payment/{self._id(id)}/refunds")

    def announce_refund(
        self,
        id: str,
        refund_id: str,
        body: schemas.AnnounceRequest,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.Refund:
        """Names the transaction with which you pay a refund of a live payment."""
        return self._send(
            "POST",
            f"/v1/payment/{self._id(id)}/refunds/{self._id(refund_id)}/announce",
            body=body,
            idempotency_key=idempotency_key,
        )

    def clear_refund_address(self, id: str) -> schemas.RefundList:
        """Clears the refund address that the customer gave on the checkout page."""
        return self._send("DELETE", f"/v1/payment/{self._id(id)}/refund-address")

    def create_link(
        self,
        body: schemas.CreateLinkRequest,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.Link:
        """Creates a payment link: a page on which customers create payments themselves."""
        return self._send("POST", "/v1/links", body=body, idempotency_key=idempotency_key)

    def list_links(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> schemas.LinkList:
        """Lists the merchant's payment links, newest first."""
        return self._send("GET", "/v1/links", query={"limit": limit, "cursor": cursor})

    def get_link(self, id: str) -> schemas.Link:
        """Returns a payment link as it is now."""
        return self._send("GET", f"/v1/links/{self._id(id)}")

    def update_link(
        self,
        id: str,
        body: schemas.UpdateLinkRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.Link:
        """Changes what the body names of a payment link, and leaves the rest."""
        return self._send(
            "POST",
            f"/v1/links/{self._id(id)}",
            body=body,
            idempotency_key=idempotency_key,
        )

    def archive_link(self, id: str, *, idempotency_key: str | None = None) -> schemas.Link:
        """Closes a payment link for good."""
        return self._send(
            "POST",
            f"/v1/links/{self._id(id)}/archive",
            idempotency_key=idempotency_key,
        )

    def set_webhook_config(self, body: schemas.WebhookConfigRequest) -> schemas.WebhookConfig:
        """Sets the URL that receives events, and whether they are sent."""
        return self._send("PUT", "/v1/webhooks/config", body=body)

    def get_webhook_config(self) -> schemas.WebhookConfigAndHealth:
        """Returns the URL that receives events, whether events are sent, and how the last
        deliveries went.
        """
        return self._send("GET", "/v1/webhooks/config")

    def get_webhook_secrets(self) -> schemas.WebhookSecrets:
        """Returns the secret that signs events, and those whose rotation still overlaps."""
        return self._send("GET", "/v1/webhooks/secrets")

    def rotate_webhook_secret(
        self,
        body: schemas.RotateSecretRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.WebhookSecrets:
        """Puts a new secret in force; the old one still signs beside it until the overlap ends."""
        return self._send(
            "POST",
            "/v1/webhooks/secrets/rotate",
            body=body,
            idempotency_key=idempotency_key,
        )

    def list_webhook_endpoints(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: str | None = None,
    ) -> schemas.WebhookEndpointList:
        """Lists the URLs that receive events, the webhookUrl first, and how their last
        deliveries went.
        """
        return self._send(
            "GET",
            "/v1/webhooks/endpoints",
            query={"limit": limit, "cursor": cursor, "state": state},
        )

    def register_webhook_endpoint(
        self,
        body: schemas.EndpointSettings,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.WebhookEndpoint:
        """Registers a further URL that receives events, with a secret of its own."""
        return self._send(
            "POST",
            "/v1/webhooks/endpoints",
            body=body,
            idempotency_key=idempotency_key,
        )

    def enable_webhook_endpoint(
        self,
        body: schemas.EnableEndpointRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.WebhookEndpoint:
        """Switches an endpoint on again that was switched off, and forgets its failures."""
        return self._send(
            "POST",
            "/v1/webhooks/endpoints/enable",
            body=body,
            idempotency_key=idempotency_key,
        )

    def get_webhook_endpoint(self, id: str) -> schemas.WebhookEndpoint:
        """Returns a registered endpoint and its health."""
        return self._send("GET", f"/v1/webhooks/endpoints/{self._id(id)}")

    def set_webhook_endpoint(
        self,
        id: str,
        body: schemas.EndpointSettings,
    ) -> schemas.WebhookEndpoint:
        """Sets all settings of a registered endpoint."""
        return self._send("PUT", f"/v1/webhooks/endpoints/{self._id(id)}", body=body)

    def delete_webhook_endpoint(self, id: str) -> schemas.WebhookEndpoint:
        """Deletes a registered endpoint."""
        return self._send("DELETE", f"/v1/webhooks/endpoints/{self._id(id)}")

    def get_webhook_endpoint_secrets(self, id: str) -> schemas.WebhookSecrets:
        """Returns the secret that signs what a registered endpoint receives, and those that
        still overlap.
        """
        return self._send("GET", f"/v1/webhooks/endpoints/{self._id(id)}/secrets")

    def rotate_webhook_endpoint_secret(
        self,
        id: str,
        body: schemas.RotateSecretRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.WebhookSecrets:
        """Puts a new secret of a registered endpoint in force; the old one overlaps."""
        return self._send(
            "POST",
            f"/v1/webhooks/endpoints/{self._id(id)}/secrets/rotate",
            body=body,
            idempotency_key=idempotency_key,
        )

    def get_signing_keys(self) -> schemas.SigningKeys:
        """Returns the public keys that verify events, and where anybody reads them."""
        return self._send("GET", "/v1/webhooks/signing-keys")

    def rotate_signing_key(
        self,
        body: schemas.RotateSigningKeyRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.SigningKeys:
        """Creates a key pair, or puts a new one in force; the old one still signs until the
        overlap ends.
        """
        return self._send(
            "POST",
            "/v1/webhooks/signing-keys",
            body=body,
            idempotency_key=idempotency_key,
        )

    def get_jwks(self, merchant_id: str) -> schemas.Jwks:
        """Returns a merchant's public keys as a JSON Web Key Set, to anybody."""
        return self._send("GET", f"/v1/webhooks/jwks/{self._id(merchant_id)}")

    def list_deliveries(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        payment_id: str | None = None,
        event_id: str | None = None,
        endpoint_id: str | None = None,
        status: str | Sequence[str] | None = None,
        type: str | Sequence[str] | None = None,
        from_date: str | None = None,
        to_date: str | None = None,
    ) -> schemas.DeliveryList:
        """Lists the merchant's webhook deliveries of the last 30 days, newest first."""
        return self._send(
            "GET",
            "/v1/webhooks/deliveries",
            query={
                "limit": limit,
                "cursor": cursor,
                "payment_id": payment_id,
                "event_id": event_id,
                "endpoint_id": endpoint_id,
                "status": status,
                "type": type,
                "from_date": from_date,
                "to_date": to_date,
            },
        )

    def get_delivery(self, id: str) -> schemas.DeliveryWithAttempts:
        """Returns a delivery with every attempt."""
        return self._send("GET", f"/v1/webhooks/deliveries/{self._id(id)}")

    def redeliver(
        self,
        id: str,
        body: schemas.RedeliverOneRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.DeliveryWithAttempts:
        """Delivers an event again, in any status of its delivery."""
        return self._send(
            "POST",
            f"/v1/webhooks/deliveries/{self._id(id)}/redeliver",
            body=body,
            idempotency_key=idempotency_key,
        )

    def redeliver_range(
        self,
        body: schemas.RedeliverRequest,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.RedeliverReport:
        """Delivers the failed events, or all, of a time range again."""
        return self._send(
            "POST",
            "/v1/webhooks/redeliver",
            body=body,
            idempotency_key=idempotency_key,
        )

    def send_test_event(
        self,
        body: schemas.TestEventRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.TestEventReport:
        """Sends the receiver one signed event of a payment that does not exist, and returns the
        outcome.
        """
        return self._send("POST", "/v1/webhooks/test", body=body, idempotency_key=idempotency_key)

    def examine_receiver(
        self,
        body: schemas.ReceiverCheckRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.ReceiverCheck:
        """Runs the receiver through the cases that receivers get wrong, and returns the outcome
        of each.
        """
        return self._send(
            "POST",
            "/v1/webhooks/examine",
            body=body,
            idempotency_key=idempotency_key,
        )

    def read_events(
        self,
        *,
        after: str | None = None,
        type: str | Sequence[str] | None = None,
        payment_id: str | None = None,
        limit: int | None = None,
    ) -> schemas.EventFeed:
        """Reads the merchant's events of the last 90 days, oldest first and without gaps, from
        a cursor on.
        """
        return self._send(
            "GET",
            "/v1/events",
            query={"after": after, "type": type, "payment_id": payment_id, "limit": limit},
        )

    def list_redeliveries(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> schemas.Redeliveries:
        """Lists the events that were asked to be delivered again within the last day, oldest
        request first.
        """
        return self._send("GET", "/v1/events/redeliveries", query={"after": after, "limit": limit})

    def get_event(self, id: str) -> schemas.Event:
        """Returns one event of the last 90 days."""
        return self._send("GET", f"/v1/events/{self._id(id)}")

    def list_payment_events(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> schemas.PaymentEvents:
        """Lists a payment's events of the last 90 days, in the order of their sequence."""
        return self._send(
            "GET",
            f"/v1/payment/{self._id(id)}/events",
            query={"cursor": cursor, "limit": limit},
        )

    def list_wallets(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> schemas.WalletList:
        """Lists the merchant's wallets, newest first: where the money of live payments goes."""
        return self._send("GET", "/v1/wallets", query={"limit": limit, "cursor": cursor})

    def get_appearance(self) -> schemas.Appearance:
        """Returns how the merchant appears on their customers' pages."""
        return self._send("GET", "/v1/checkout/appearance")

    def set_appearance(self, body: schemas.AppearanceRequest | None = None) -> schemas.Appearance:
        """Replaces all choices of the appearance; null, or leaving one out, is its default."""
        return self._send("PUT", "/v1/checkout/appearance", body=body)

    def set_logo(
        self,
        file: bytes,
        content_type: Literal["image/png", "image/jpeg", "image/webp"],
    ) -> schemas.Appearance:
        """Takes an image as the logo; it is encoded again, and its metadata are dropped."""
        return self._send("PUT", "/v1/checkout/logo", file=(content_type, file))

    def delete_logo(self) -> schemas.Appearance:
        """Removes the logo."""
        return self._send("DELETE", "/v1/checkout/logo")

    def send_sandbox_transfer(
        self,
        id: str,
        body: schemas.SendTransferRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.SentTransfer:
        """Acts as the customer: sends one transfer to the payment on the simulated chain."""
        return self._send(
            "POST",
            f"/v1/sandbox/payments/{self._id(id)}/transfers",
            body=body,
            idempotency_key=idempotency_key,
        )

    def replace_sandbox_transfer(
        self,
        id: str,
        body: schemas.ReplaceTransferRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.ReplacedTransfer:
        """Acts as a customer who replaces a seen transfer: by a double spend, or to speed it
        up.
        """
        return self._send(
            "POST",
            f"/v1/sandbox/payments/{self._id(id)}/replace",
            body=body,
            idempotency_key=idempotency_key,
        )

    def move_sandbox_rates(
        self,
        body: schemas.SandboxRatesRequest,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.SandboxRates:
        """Moves the market of the merchant's test payments: requotes and late money follow it."""
        return self._send("POST", "/v1/sandbox/rates", body=body, idempotency_key=idempotency_key)

    def advance_sandbox_clock(
        self,
        id: str,
        body: schemas.AdvanceRequest,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.AdvanceResult:
        """Advances the payment's test clock; runs the jobs that become due and returns what
        happened.
        """
        return self._send(
            "POST",
            f"/v1/sandbox/payments/{self._id(id)}/advance",
            body=body,
            idempotency_key=idempotency_key,
        )

    def play_scenario(
        self,
        body: schemas.ScenarioRequest | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> schemas.Scenario:
        """Runs a scenario, by name or from a script, on a payment with a test clock; returns
        what happened.
        """
        return self._send(
            "POST",
            "/v1/sandbox/scenarios",
            body=body,
            idempotency_key=idempotency_key,
        )
