import type { ApiErrorCode } from '../../src/domain/api/errors.ts';

/** Why a request gets an error, and what its sender does about it; in Markdown. */
export interface Remedy {
  readonly cause: string;
  readonly remedy: string;
}

/** Every error of the API. */
export const REMEDIES: Readonly<Record<ApiErrorCode, Remedy>> = {
  validation: {
    cause:
      'A field, a parameter, a header or the body breaks a rule. `details.field` is its path in dots, or ' +
      '`body`; `details.constraint` is the rule. An unknown field or parameter is refused as well.',
    remedy:
      'Correct the field that `details` names, as `message` says. The same request fails again: do not retry ' +
      'it. Nothing was stored.',
  },
  malformed_request: {
    cause: 'The bytes are no request of HTTP, such as a raw blank in the path, no `Host`, or a broken chunk.',
    remedy: 'Leave the request line, the headers and the chunks to an HTTP library.',
  },
  request_timeout: {
    cause: 'The headers took longer than 10 s, or the whole request longer than 30 s.',
    remedy: 'Send the request again, at once and whole. Nothing was stored.',
  },
  unauthorized: {
    cause: 'The header `X-API-Key` is missing, its value is no key, or the key was revoked.',
    remedy:
      'Send a key that the operator of the service gave you. A test key begins with `sk_test_`, a live one with ' +
      '`sk_live_`. An address that fails 60 times within a minute gets 429 for the rest of it.',
  },
  forbidden: {
    cause:
      'The key lacks a permission that the endpoint needs, a live key asks for something of the sandbox, or the ' +
      'operator has suspended the merchant. `message` says which.',
    remedy:
      "Use a key with the permission: each operation of the reference names those that it needs. A key's " +
      'permissions are chosen when the operator creates it.',
  },
  payment_not_found: {
    cause: 'No payment has the id, or it belongs to another merchant: both give the same response.',
    remedy:
      'Compare the id with the one in the response to the creation, and check that the key is of the same ' +
      'merchant, and of the same mode: a test key sees no live payment.',
  },
  refund_not_found: {
    cause: 'The payment has no refund with the id.',
    remedy: 'Take the id from `GET /v1/payment/:id/refunds` of the same payment.',
  },
  delivery_not_found: {
    cause: 'No delivery has the id, it belongs to another merchant, or it is older than 30 days.',
    remedy: 'Take the id from `GET /v1/webhooks/deliveries`. Events are in `GET /v1/events` for 90 days.',
  },
  link_not_found: {
    cause: 'No payment link has the id in the path, or it belongs to another merchant.',
    remedy: 'Check the id (`lnk_...`), and that the key is of the merchant who created the link.',
  },
  event_not_found: {
    cause: 'No event has the id, it belongs to another merchant, or it is older than 90 days.',
    remedy:
      'Take the `link` of a thin event as it is, with a key of the merchant whose endpoint received it.',
  },
  endpoint_not_found: {
    cause: 'No registered endpoint has the id, or nothing was ever sent to the `url` of the request.',
    remedy:
      'Take the id or the URL from `GET /v1/webhooks/endpoints`. A `callback_url` counts up to its query. Without ' +
      'either a request to enable an endpoint is about your `webhookUrl`.',
  },
  too_many_endpoints: {
    cause: 'The merchant has 100 registered endpoints, or 10 at the origin (scheme, host, port) of the URL.',
    remedy:
      'Delete one with `DELETE /v1/webhooks/endpoints/:id`, or let one receiver pass events on to several programs.',
  },
  route_not_found: {
    cause:
      'The service has no such path. Under `/v1/sandbox` it may be that the operator has turned the sandbox off.',
    remedy: 'Compare the path with the reference. Paths begin with `/v1` and have no slash at their end.',
  },
  method_not_allowed: {
    cause: 'The path exists, and does not take the method of the request.',
    remedy: 'Use a method that the header `Allow` of the response lists.',
  },
  idempotency_conflict: {
    cause: 'The `Idempotency-Key` was used before, by the same merchant on the same path, with another body.',
    remedy:
      'Send a retry with exactly the body of the first request. A new request needs a new key: derive it from ' +
      'what it is about, such as the number of the order.',
  },
  cancel_not_allowed: {
    cause: 'Enough money was seen for the payment, or it has ended in another way.',
    remedy: 'Read its `status`: what was paid can be refunded.',
  },
  refund_not_allowed: {
    cause:
      "The payment's state does not allow the refund: nothing that is confirmed is left to send back, money is " +
      'still confirming, a part is asked for where only all can be refunded, what is left is not above the dust limit, ' +
      'the sender is asked for where another address was given, or an address is cleared to which money was sent.',
    remedy:
      'Read `message`, and the payment: `status`, `amount_received` and `amount_refunded`. While money confirms, ' +
      'wait for the next event of the payment, and try again.',
  },
  webhooks_off: {
    cause: 'A redelivery was asked for while webhooks are disabled, or while there is no URL.',
    remedy: 'Set `webhookUrl` and `enabled` with `PUT /v1/webhooks/config`, and ask again.',
  },
  endpoint_off: {
    cause:
      'A redelivery was asked for to an endpoint that is switched off: it returned 410, or it only failed for five days.',
    remedy:
      'Repair the receiver. `GET /v1/webhooks/endpoints` says why it was switched off; enable it with ' +
      '`POST /v1/webhooks/endpoints/enable`, and ask again.',
  },
  clock_held: {
    cause: "Another request is advancing the payment's test clock.",
    remedy:
      'Wait until that request has ended, and send this one again. Advance a payment from one place only.',
  },
  nothing_to_replace: {
    cause: 'The payment has no such transfer: none was seen, or it was replaced before.',
    remedy: 'Send a transfer first. `transfer` counts from 1 in the order in which they were sent.',
  },
  body_too_large: {
    cause: 'The body is larger than 100 kB.',
    remedy: 'Send less: `metadata` takes 50 short values. A logo must be below 100 kB as a file.',
  },
  unsupported_media_type: {
    cause:
      'The `Content-Type` is missing or another one, the charset is not UTF-8, or the `Content-Encoding` is not read.',
    remedy:
      'Send `Content-Type: application/json`, in UTF-8; for a logo, the type of the image. A body may be compressed ' +
      'once, by gzip, deflate or br.',
  },
  expectation_failed: {
    cause: 'The header `Expect` asks for something else than `100-continue`.',
    remedy: 'Leave the header out.',
  },
  header_too_large: {
    cause: 'The URL and the headers are larger than 16 kB together.',
    remedy: 'Send less in the query, and no cookies.',
  },
  rate_limited: {
    cause:
      'More requests than the limit of the endpoint came within 60 s, more wrong keys than 60 from one address, or ' +
      'more sandbox work at once than a merchant may run.',
    remedy:
      'Wait as many seconds as `Retry-After` says, and send the request again. Webhooks save you from polling.',
  },
  internal: {
    cause: 'The service failed in a way that nobody has foreseen.',
    remedy:
      'Send the request again, a `POST` with the same `Idempotency-Key`. If it fails again, give `request_id` to the ' +
      'operator of the service, who finds the reason by it.',
  },
  unavailable: {
    cause:
      'The service cannot reach its database at this moment, or a statement took too long. Nothing was stored.',
    remedy:
      'Wait as many seconds as `Retry-After` says, and send the request again, a `POST` with the same ' +
      '`Idempotency-Key`.',
  },
  network_unavailable: {
    cause:
      'A live payment was asked for on a network for which the service has no real client, or no wallet of the ' +
      'merchant. The message says which.',
    remedy:
      'Use a test key, or ask the operator which networks serve live payments, and to set and confirm a wallet. ' +
      'Waiting does not help.',
  },
  rate_unavailable: {
    cause:
      'A price in money was asked for, and its currency or your settlement coin has no rate now that enough ' +
      'sources agree on, or that is fresh. Nothing was stored. The message says which.',
    remedy:
      'Wait as many seconds as `Retry-After` says, and send the request again; or convert the price yourself, ' +
      'and send `pay_amount`.',
  },
  maintenance: {
    cause: 'The operator has put the service into maintenance. Only `GET /v1/status` works as always.',
    remedy: 'Wait as many seconds as `Retry-After` says. `GET /v1/status` says `ok` when it is over.',
  },
};
