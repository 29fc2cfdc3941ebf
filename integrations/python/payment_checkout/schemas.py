"""What the API takes and returns, as types.

Written by npm run integrations, from the OpenAPI document of the service.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict


class _Error(TypedDict):
    statusCode: int
    error: str
    message: str
    timestamp: str
    path: str
    request_id: str


class Error(_Error, total=False):
    details: ErrorDetails


class ErrorDetails(TypedDict):
    field: str
    constraint: str


class _StatusReport(TypedDict):
    status: Literal["ok", "degraded", "maintenance"]
    version: str
    timestamp: str
    authenticated: bool


class StatusReport(_StatusReport, total=False):
    simulated: Literal[True]
    checks: list[StatusReportChecks]
    merchant_id: str
    mode: Literal["test", "live"]
    permissions: list[
        Literal[
            "payments:read",
            "payments:write",
            "refunds:write",
            "webhooks:read",
            "webhooks:write",
            "webhooks:secrets",
            "checkout:write",
            "wallets:read",
            "sandbox:write",
        ]
    ]


class StatusReportChecks(TypedDict):
    check: str
    reason: str


class _CreatePaymentRequest(TypedDict):
    order_id: str


class CreatePaymentRequest(_CreatePaymentRequest, total=False):
    pay_amount: str
    price_amount: str
    price_currency: Literal[
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "KRW",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "TRY",
        "BRL",
        "MXN",
        "ZAR",
        "AED",
        "SAR",
        "HUF",
        "ILS",
        "THB",
        "IDR",
        "MYR",
        "KWD",
    ]
    order_description: str
    callback_url: str
    success_url: str
    cancel_url: str
    expiration_minutes: int
    customer_email: str
    metadata: dict[str, str]
    policy: PolicyChoice


class PolicyChoice(TypedDict, total=False):
    underpaid: Literal["wait", "accept"]
    underpaid_tolerance_percent: float
    late: Literal["honour", "refund"]
    overpaid: Literal["keep", "refund_excess"]


class Payment(TypedDict):
    id: str
    token_id: str
    order_id: str
    checkout_url: str
    status: Literal[
        "WAITING",
        "PENDING",
        "PROCESSING",
        "SETTLED",
        "EXPIRED",
        "FAILED",
        "REFUNDED",
    ]
    pay_amount: str
    pay_currency: str
    pay_network: str
    actually_paid: str | None
    actually_paid_currency: str | None
    created_at: str
    expires_at: str
    settled_at: str | None
    metadata: dict[str, str]
    exceptions: list[
        Literal[
            "underpaid",
            "overpaid",
            "late",
            "reorged",
            "replaced",
        ]
    ]
    amount_received: str
    amount_refunded: str
    sequence: int
    cancelled_at: str | None
    settlement: PaymentSettlement
    price: Price | None


class _PaymentSettlement(TypedDict):
    mode: Literal[
        "par",
        "as_received",
        "exchange",
        "simulated",
    ]
    coin: str | None
    network: str | None
    amount: str | None


class PaymentSettlement(_PaymentSettlement, total=False):
    problem: Literal[
        "exchange_unavailable",
        "rate_limited",
        "not_credited",
        "deposit_failed",
        "deposit_differs",
        "rate_unavailable",
        "price_moved",
        "below_minimum",
        "insufficient_funds",
        "order_refused",
        "key_refused",
        "no_account",
    ]


class Price(TypedDict):
    amount: str
    currency: Literal[
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "KRW",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "TRY",
        "BRL",
        "MXN",
        "ZAR",
        "AED",
        "SAR",
        "HUF",
        "ILS",
        "THB",
        "IDR",
        "MYR",
        "KWD",
    ]
    rate: str
    rated_at: str
    sources: list[str]


class PaymentList(TypedDict):
    data: list[Payment]
    pagination: PaymentListPagination


class PaymentListPagination(TypedDict):
    page: int | None
    limit: int
    total: int
    total_is_exact: bool
    total_pages: int | None
    has_more: bool
    next_cursor: str | None


class RefundRequest(TypedDict, total=False):
    amount: str
    price_amount: str
    price_currency: Literal[
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "KRW",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "TRY",
        "BRL",
        "MXN",
        "ZAR",
        "AED",
        "SAR",
        "HUF",
        "ILS",
        "THB",
        "IDR",
        "MYR",
        "KWD",
    ]
    reason: str
    address: str
    to_sender: bool


class _Refund(TypedDict):
    id: str
    payment_id: str
    amount: str
    currency: str
    status: Literal[
        "NEEDS_ADDRESS",
        "PENDING",
        "AWAITING_SIGNATURE",
        "SENT",
        "HELD",
        "COMPLETED",
    ]
    created_at: str
    coin: str
    network: str
    coin_amount: str
    address: str | None
    tx_hash: str | None
    reason: str | None


class Refund(_Refund, total=False):
    price: Price
    request: UnsignedRequest | BitcoinRequest
    request_problem: RequestProblem
    problem: RefundProblem


class UnsignedRequest(TypedDict):
    chainId: str
    to: str
    data: str
    value: str


class BitcoinRequest(TypedDict):
    psbt: str


class RequestProblem(TypedDict):
    code: str
    message: str


class RefundProblem(TypedDict):
    code: str
    message: str
    tx_hash: str


class RefundList(TypedDict):
    data: list[Refund]
    refund_address: RefundAddress | None


class RefundAddress(TypedDict):
    address: str
    network: str
    given_at: str | None


class AnnounceRequest(TypedDict):
    tx_hash: str


class _CreateLinkRequest(TypedDict):
    title: str


class CreateLinkRequest(_CreateLinkRequest, total=False):
    description: str
    prices: list[CreateLinkRequestPrices]
    open_amount: CreateLinkRequestOpenAmount
    price_currency: Literal[
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "KRW",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "TRY",
        "BRL",
        "MXN",
        "ZAR",
        "AED",
        "SAR",
        "HUF",
        "ILS",
        "THB",
        "IDR",
        "MYR",
        "KWD",
    ]
    fields: list[CreateLinkRequestFields]
    max_uses: int
    stock: int
    expires_at: str
    expiration_minutes: int
    success_url: str
    thank_you: str


class _CreateLinkRequestPrices(TypedDict):
    amount: str


class CreateLinkRequestPrices(_CreateLinkRequestPrices, total=False):
    name: str
    closed: bool


class CreateLinkRequestOpenAmount(TypedDict):
    min: str
    max: str


class _CreateLinkRequestFields(TypedDict):
    key: str
    label: str


class CreateLinkRequestFields(_CreateLinkRequestFields, total=False):
    required: bool
    max_length: int


class Link(TypedDict):
    id: str
    url: str
    code_url: str
    title: str
    description: str | None
    prices: list[LinkPrices] | None
    open_amount: LinkOpenAmount | None
    price_currency: (
        Literal[
            "USD",
            "EUR",
            "GBP",
            "CHF",
            "JPY",
            "CNY",
            "INR",
            "AUD",
            "CAD",
            "NZD",
            "SGD",
            "HKD",
            "KRW",
            "SEK",
            "NOK",
            "DKK",
            "PLN",
            "CZK",
            "TRY",
            "BRL",
            "MXN",
            "ZAR",
            "AED",
            "SAR",
            "HUF",
            "ILS",
            "THB",
            "IDR",
            "MYR",
            "KWD",
        ]
        | None
    )
    fields: list[LinkFields]
    max_uses: int | None
    stock: int | None
    stock_left: int | None
    uses: int
    is_open: bool
    expires_at: str | None
    expiration_minutes: int
    success_url: str | None
    thank_you: str | None
    created_at: str
    archived_at: str | None
    paused_at: str | None


class _LinkPrices(TypedDict):
    amount: str


class LinkPrices(_LinkPrices, total=False):
    name: str
    closed: bool


class LinkOpenAmount(TypedDict):
    min: str
    max: str


class LinkFields(TypedDict):
    key: str
    label: str
    required: bool
    max_length: int


class LinkList(TypedDict):
    data: list[Link]
    pagination: CursorPagination


class CursorPagination(TypedDict):
    limit: int
    has_more: bool
    next_cursor: str | None


class UpdateLinkRequest(TypedDict, total=False):
    title: str
    description: str | None
    prices: list[UpdateLinkRequestPrices]
    stock: int | None
    stock_change: int
    max_uses: int | None
    expires_at: str | None
    is_active: bool


class _UpdateLinkRequestPrices(TypedDict):
    amount: str


class UpdateLinkRequestPrices(_UpdateLinkRequestPrices, total=False):
    name: str
    closed: bool


class WebhookConfigRequest(TypedDict):
    webhookUrl: str | None
    enabled: bool


class WebhookConfig(TypedDict):
    webhookUrl: str | None
    enabled: bool
    updatedAt: str


class WebhookConfigAndHealth(TypedDict):
    webhookUrl: str | None
    enabled: bool
    updatedAt: str
    health: EndpointHealth


class EndpointHealth(TypedDict):
    state: Literal[
        "unused",
        "untested",
        "healthy",
        "failing",
        "paused",
        "switched_off",
    ]
    lastSuccessAt: str | None
    lastFailureAt: str | None
    failureRate: float | None
    switchedOffAt: str | None
    switchedOffBecause: Literal["gone", "failing"] | None


class WebhookSecrets(TypedDict):
    secret: str
    created_at: str
    previous: list[WebhookSecretsPrevious]


class WebhookSecretsPrevious(TypedDict):
    secret: str
    expires_at: str


class RotateSecretRequest(TypedDict, total=False):
    overlap_hours: int


class WebhookEndpointList(TypedDict):
    data: list[WebhookEndpoint]
    pagination: CursorPagination


class WebhookEndpoint(TypedDict):
    id: str | None
    url: str | None
    default: bool
    enabled: bool
    event_types: (
        list[
            Literal[
                "checkout.created",
                "checkout.pending",
                "checkout.processing",
                "checkout.settled",
                "checkout.failed",
                "checkout.refunded",
                "checkout.funds_received",
            ]
        ]
        | None
    )
    description: str | None
    payload: Literal["full", "thin"]
    created_at: str | None
    health: EndpointHealth


class EnableEndpointRequest(TypedDict, total=False):
    url: str
    id: str


class _EndpointSettings(TypedDict):
    url: str


class EndpointSettings(_EndpointSettings, total=False):
    enabled: bool
    event_types: (
        list[
            Literal[
                "checkout.created",
                "checkout.pending",
                "checkout.processing",
                "checkout.settled",
                "checkout.failed",
                "checkout.refunded",
                "checkout.funds_received",
            ]
        ]
        | None
    )
    description: str | None
    payload: Literal["full", "thin"]


class SigningKeys(TypedDict):
    jwks_url: str
    keys: list[SigningKeysKeys]


class SigningKeysKeys(TypedDict):
    kid: str
    public_key: str
    created_at: str
    expires_at: str | None


class RotateSigningKeyRequest(TypedDict, total=False):
    overlap_hours: int


class Jwks(TypedDict):
    keys: list[JwksKeys]


class JwksKeys(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str
    use: Literal["sig"]
    alg: Literal["EdDSA"]


class DeliveryList(TypedDict):
    data: list[Delivery]
    pagination: CursorPagination


class Delivery(TypedDict):
    id: str
    event_id: str
    type: str
    payment_id: str
    endpoint_id: str | None
    sequence: int
    status: Literal["pending", "delivered", "failed"]
    failed_because: (
        Literal[
            "retries_exhausted",
            "webhooks_disabled",
            "endpoint_switched_off",
        ]
        | None
    )
    attempts: int
    next_attempt_at: str | None
    created_at: str
    finished_at: str | None
    last_status_code: int | None
    last_error: (
        Literal[
            "url",
            "dns",
            "address_blocked",
            "port_blocked",
            "connect_refused",
            "connect_unreachable",
            "connect_reset",
            "tls",
            "timeout",
            "protocol",
            "redirect",
            "status",
            "interrupted",
            "internal",
        ]
        | None
    )


class DeliveryWithAttempts(TypedDict):
    id: str
    event_id: str
    type: str
    payment_id: str
    endpoint_id: str | None
    sequence: int
    status: Literal["pending", "delivered", "failed"]
    failed_because: (
        Literal[
            "retries_exhausted",
            "webhooks_disabled",
            "endpoint_switched_off",
        ]
        | None
    )
    attempts: int
    next_attempt_at: str | None
    created_at: str
    finished_at: str | None
    last_status_code: int | None
    last_error: (
        Literal[
            "url",
            "dns",
            "address_blocked",
            "port_blocked",
            "connect_refused",
            "connect_unreachable",
            "connect_reset",
            "tls",
            "timeout",
            "protocol",
            "redirect",
            "status",
            "interrupted",
            "internal",
        ]
        | None
    )
    log: list[DeliveryAttempt]


class DeliveryAttempt(TypedDict):
    number: int
    at: str
    url: str
    address: str | None
    status_code: int | None
    duration_ms: int
    error: (
        Literal[
            "url",
            "dns",
            "address_blocked",
            "port_blocked",
            "connect_refused",
            "connect_unreachable",
            "connect_reset",
            "tls",
            "timeout",
            "protocol",
            "redirect",
            "status",
            "interrupted",
            "internal",
        ]
        | None
    )
    error_detail: str | None
    response_excerpt: str | None
    next_attempt_at: str | None


class RedeliverOneRequest(TypedDict, total=False):
    to: Literal["receiver", "listeners"]


class _RedeliverRequest(TypedDict):
    from_date: Any


class RedeliverRequest(_RedeliverRequest, total=False):
    which: Literal["failed", "all"]
    to_date: Any
    endpoint_id: str


class _RedeliverReport(TypedDict):
    count: int
    done_by: str | None


class RedeliverReport(_RedeliverReport, total=False):
    switched_off: int


class TestEventRequest(TypedDict, total=False):
    type: Literal[
        "checkout.created",
        "checkout.pending",
        "checkout.processing",
        "checkout.settled",
        "checkout.failed",
        "checkout.refunded",
        "checkout.funds_received",
    ]
    url: str
    endpoint_id: str


class TestEventReport(TypedDict):
    event: TestEventReportEvent
    url: str
    delivered: bool
    status_code: int | None
    error: str | None
    duration_ms: int
    response_excerpt: str | None


class TestEventReportEvent(TypedDict):
    id: str
    type: Literal[
        "checkout.created",
        "checkout.pending",
        "checkout.processing",
        "checkout.settled",
        "checkout.failed",
        "checkout.refunded",
        "checkout.funds_received",
    ]


class ReceiverCheckRequest(TypedDict, total=False):
    url: str
    endpoint_id: str


class ReceiverCheck(TypedDict):
    url: str
    passed: bool
    slow: bool
    summary: str
    cases: list[ReceiverCheckCase]


class ReceiverCheckCase(TypedDict):
    case: Literal[
        "good",
        "duplicate",
        "reordered",
        "wrong_signature",
        "missing_signature",
        "stale_timestamp",
        "future_timestamp",
        "altered_body",
        "reformatted_body",
    ]
    sent: str
    expected: Literal["2xx", "4xx"]
    status_code: int | None
    error: str | None
    duration_ms: int
    slow: bool
    passed: bool
    advice: str | None


class EventFeed(TypedDict):
    data: list[Event]
    pagination: EventFeedPagination


class EventFeedPagination(TypedDict):
    limit: int
    has_more: bool
    next_cursor: str | None


class Event(TypedDict):
    id: str
    type: Literal[
        "checkout.created",
        "checkout.pending",
        "checkout.processing",
        "checkout.settled",
        "checkout.failed",
        "checkout.refunded",
        "checkout.funds_received",
    ]
    timestamp: str
    sequence: int
    data: EventData
    metadata: dict[str, str]


class _EventData(TypedDict):
    checkout: EventDataCheckout
    payment: EventDataPayment
    settlement: EventDataSettlement
    price: Price | None


class EventData(_EventData, total=False):
    refund: EventDataRefund
    transfer: EventDataTransfer


class EventDataCheckout(TypedDict):
    id: str
    status: Literal[
        "WAITING",
        "PENDING",
        "PROCESSING",
        "SETTLED",
        "EXPIRED",
        "FAILED",
        "REFUNDED",
    ]
    amount: str
    currency: str
    cryptoAmount: str
    cryptoCurrency: str
    settledAt: str | None
    exceptions: list[
        Literal[
            "underpaid",
            "overpaid",
            "late",
            "reorged",
            "replaced",
        ]
    ]
    policy: Policy


class EventDataPayment(TypedDict):
    txHash: str | None
    confirmations: int
    requiredConfirmations: int | None
    network: str


class _EventDataSettlement(TypedDict):
    mode: Literal[
        "par",
        "as_received",
        "exchange",
        "simulated",
    ]
    coin: str | None
    network: str | None
    amount: str | None


class EventDataSettlement(_EventDataSettlement, total=False):
    problem: Literal[
        "exchange_unavailable",
        "rate_limited",
        "not_credited",
        "deposit_failed",
        "deposit_differs",
        "rate_unavailable",
        "price_moved",
        "below_minimum",
        "insufficient_funds",
        "order_refused",
        "key_refused",
        "no_account",
    ]


class _EventDataRefund(TypedDict):
    id: str
    amount: str
    currency: str
    reason: str | None
    coin: str
    network: str
    coinAmount: str
    address: str | None
    txHash: str | None


class EventDataRefund(_EventDataRefund, total=False):
    price: Price


class EventDataTransfer(TypedDict):
    coin: str
    network: str
    amount: str
    credit: str
    txHash: str | None


class Policy(TypedDict):
    underpaid: Literal["wait", "accept"]
    underpaid_tolerance_percent: float
    late: Literal["honour", "refund"]
    overpaid: Literal["keep", "refund_excess"]


class Redeliveries(TypedDict):
    data: list[Redelivery]
    pagination: RedeliveriesPagination


class RedeliveriesPagination(TypedDict):
    limit: int
    has_more: bool
    next_cursor: str | None


class Redelivery(TypedDict):
    requested_at: str
    event: Event


class PaymentEvents(TypedDict):
    data: list[Event]
    pagination: CursorPagination


class WalletList(TypedDict):
    data: list[Wallet]
    pagination: CursorPagination


class Wallet(TypedDict):
    id: str
    kind: Literal["xpub", "forwarder"]
    state: Literal[
        "pending",
        "in_use",
        "retired",
        "refused",
    ]
    networks: list[
        Literal[
            "bitcoin",
            "ethereum",
            "tron",
            "polygon",
            "solana",
            "base",
            "arbitrum",
            "optimism",
            "bnb",
        ]
    ]
    unaudited: bool
    public_key: str | None
    treasury: str | None
    created_at: str
    confirmed_at: str | None
    retired_at: str | None


class Appearance(TypedDict):
    name: str | None
    support_url: str | None
    accent_color: str | None
    display_currency: (
        Literal[
            "USD",
            "EUR",
            "GBP",
            "CHF",
            "JPY",
            "CNY",
            "INR",
            "AUD",
            "CAD",
            "NZD",
            "SGD",
            "HKD",
            "KRW",
            "SEK",
            "NOK",
            "DKK",
            "PLN",
            "CZK",
            "TRY",
            "BRL",
            "MXN",
            "ZAR",
            "AED",
            "SAR",
            "HUF",
            "ILS",
            "THB",
            "IDR",
            "MYR",
            "KWD",
        ]
        | None
    )
    methods: list[AppearanceMethods] | None
    embed_origins: list[str]
    accent_used: AppearanceAccentUsed | None
    logo: AppearanceLogo | None
    updated_at: str | None


class AppearanceMethods(TypedDict):
    coin: Literal[
        "BTC",
        "ETH",
        "USDT",
        "USDC",
        "TRX",
        "SOL",
        "POL",
        "DAI",
        "BNB",
    ]
    network: Literal[
        "bitcoin",
        "ethereum",
        "tron",
        "polygon",
        "solana",
        "base",
        "arbitrum",
        "optimism",
        "bnb",
    ]


class AppearanceAccentUsed(TypedDict):
    light: str
    dark: str


class AppearanceLogo(TypedDict):
    url: str
    width: int
    height: int


class AppearanceRequest(TypedDict, total=False):
    name: str | None
    support_url: str | None
    accent_color: str | None
    display_currency: (
        Literal[
            "USD",
            "EUR",
            "GBP",
            "CHF",
            "JPY",
            "CNY",
            "INR",
            "AUD",
            "CAD",
            "NZD",
            "SGD",
            "HKD",
            "KRW",
            "SEK",
            "NOK",
            "DKK",
            "PLN",
            "CZK",
            "TRY",
            "BRL",
            "MXN",
            "ZAR",
            "AED",
            "SAR",
            "HUF",
            "ILS",
            "THB",
            "IDR",
            "MYR",
            "KWD",
        ]
        | None
    )
    methods: list[AppearanceRequestMethods] | None
    embed_origins: list[str]
    accent_used: Any
    logo: Any
    updated_at: Any


class AppearanceRequestMethods(TypedDict):
    coin: Literal[
        "BTC",
        "ETH",
        "USDT",
        "USDC",
        "TRX",
        "SOL",
        "POL",
        "DAI",
        "BNB",
    ]
    network: Literal[
        "bitcoin",
        "ethereum",
        "tron",
        "polygon",
        "solana",
        "base",
        "arbitrum",
        "optimism",
        "bnb",
    ]


class SendTransferRequest(TypedDict, total=False):
    amount: str
    coin: Literal[
        "BTC",
        "ETH",
        "USDT",
        "USDC",
        "TRX",
        "SOL",
        "POL",
        "DAI",
        "BNB",
    ]
    network: Literal[
        "bitcoin",
        "ethereum",
        "tron",
        "polygon",
        "solana",
        "base",
        "arbitrum",
        "optimism",
        "bnb",
    ]


class SentTransfer(TypedDict):
    payment_id: str
    tx_hash: str
    coin: str
    network: str
    address: str
    amount: str
    sent_at: str


class ReplaceTransferRequest(TypedDict, total=False):
    transfer: int
    speed_up: bool


class ReplacedTransfer(TypedDict):
    payment_id: str
    tx_hash: str
    coin: str
    network: str
    amount: str
    replaced_by: str
    replaced_at: str


class SandboxRatesRequest(TypedDict):
    rates: SandboxRatesRequestRates


class SandboxRatesRequestRates(TypedDict, total=False):
    BTC: str | None
    ETH: str | None
    USDT: str | None
    USDC: str | None
    TRX: str | None
    SOL: str | None
    POL: str | None
    DAI: str | None
    BNB: str | None


class SandboxRates(TypedDict):
    rates: SandboxRatesRates


class SandboxRatesRates(TypedDict):
    BTC: str
    ETH: str
    USDT: str
    USDC: str
    TRX: str
    SOL: str
    POL: str
    DAI: str
    BNB: str


class AdvanceRequest(TypedDict):
    by: str


class AdvanceResult(TypedDict):
    now: str
    payment: Payment
    events: list[dict[str, Any]]
    deliveries: list[SimulatedAttempt]


class SimulatedAttempt(TypedDict):
    at: str
    event_id: str
    type: str
    sequence: int
    attempt: int
    status_code: int | None
    error: str | None
    next_attempt_at: str | None


class ScenarioRequest(TypedDict, total=False):
    story: Literal[
        "paid",
        "paid-in-two-parts",
        "underpaid-and-expired",
        "overpaid",
        "late-honoured",
        "late-refunded",
        "late-after-partial",
        "reorganised",
        "replaced",
        "conversion-failed",
        "refunded-in-full",
        "refunded-in-part",
        "webhook-endpoint-down-for-a-day",
        "webhooks-twice-and-out-of-order",
    ]
    payment: ScenarioRequestPayment
    script: list[
        (
            ScenarioRequestScript1
            | ScenarioRequestScript2
            | ScenarioRequestScript3
            | ScenarioRequestScript4
            | ScenarioRequestScript5
            | ScenarioRequestScript6
            | ScenarioRequestScript7
            | ScenarioRequestScript8
        )
    ]
    seed: str
    ids: Literal["random", "stable"]


class ScenarioRequestPayment(TypedDict, total=False):
    pay_amount: str
    price_amount: str
    price_currency: Literal[
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "KRW",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "TRY",
        "BRL",
        "MXN",
        "ZAR",
        "AED",
        "SAR",
        "HUF",
        "ILS",
        "THB",
        "IDR",
        "MYR",
        "KWD",
    ]
    order_id: str
    order_description: str
    callback_url: str
    success_url: str
    cancel_url: str
    expiration_minutes: int
    customer_email: str
    metadata: dict[str, str]
    policy: PolicyChoice


class _ScenarioRequestScript1(TypedDict):
    at: str
    do: Literal["transfer"]


class ScenarioRequestScript1(_ScenarioRequestScript1, total=False):
    amount: str
    coin: Literal[
        "BTC",
        "ETH",
        "USDT",
        "USDC",
        "TRX",
        "SOL",
        "POL",
        "DAI",
        "BNB",
    ]
    network: Literal[
        "bitcoin",
        "ethereum",
        "tron",
        "polygon",
        "solana",
        "base",
        "arbitrum",
        "optimism",
        "bnb",
    ]


class _ScenarioRequestScript2(TypedDict):
    at: str
    do: Literal["replace"]


class ScenarioRequestScript2(_ScenarioRequestScript2, total=False):
    transfer: int
    speed_up: bool


class ScenarioRequestScript3(TypedDict):
    at: str
    do: Literal["reorg"]
    depth: int


class ScenarioRequestScript4(TypedDict):
    at: str
    do: Literal["mine"]
    blocks: int


class ScenarioRequestScript5(TypedDict):
    at: str
    do: Literal["fail_conversion"]


class _ScenarioRequestScript6(TypedDict):
    at: str
    do: Literal["refund"]


class ScenarioRequestScript6(_ScenarioRequestScript6, total=False):
    amount: str
    price_amount: str
    price_currency: Literal[
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "JPY",
        "CNY",
        "INR",
        "AUD",
        "CAD",
        "NZD",
        "SGD",
        "HKD",
        "KRW",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "TRY",
        "BRL",
        "MXN",
        "ZAR",
        "AED",
        "SAR",
        "HUF",
        "ILS",
        "THB",
        "IDR",
        "MYR",
        "KWD",
    ]
    reason: str
    address: str
    to_sender: bool


class ScenarioRequestScript7(TypedDict):
    at: str
    do: Literal["webhook"]
    answer: int | Literal["timeout", "twice", "out_of_order"]


class ScenarioRequestScript8(TypedDict):
    at: str
    do: Literal["seed"]
    seed: str


class Scenario(TypedDict):
    payment: Payment
    transitions: list[ScenarioTransitions]
    events: list[dict[str, Any]]
    deliveries: list[SimulatedAttempt]
    received: list[ScenarioReceived]


ScenarioTransitions = TypedDict(
    "ScenarioTransitions",
    {
        "at": "str",
        "sequence": "int",
        "from": "str | None",
        "to": "str",
        "event": "str",
    },
)


class ScenarioReceived(TypedDict):
    at: str
    event_id: str
    type: str
    sequence: int
    answered: int | Literal["timeout"]
