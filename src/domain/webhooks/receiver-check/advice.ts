import type { DeliveryResult } from '../client/client.ts';
import type { DeliveryErrorClass } from '../client/delivery-error.ts';
import type { CaseName, CheckCase } from './cases.ts';

/** The class of a response's status; `none`: there was no response. */
export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx' | 'none';

export function statusClass(statusCode: number | null): StatusClass {
  if (statusCode === null) return 'none';
  if (statusCode < 300) return '2xx';
  if (statusCode < 400) return '3xx';
  return statusCode < 500 ? '4xx' : '5xx';
}

/**
 * Advice for a merchant whose receiver failed a case, in one or two sentences. Sources: specification,
 * "Receiver rules"; contract, "Events" (at least once, in any order, redirects are failures).
 */
export function adviceFor(
  { name, expected }: Pick<CheckCase, 'name' | 'expected'>,
  { statusCode, errorClass }: Pick<DeliveryResult, 'statusCode' | 'errorClass'>,
): string {
  const status = statusClass(statusCode);
  const own: Partial<Record<StatusClass, string>> = ADVICE[name];
  if (status === 'none' && errorClass !== null && errorClass in UNREACHABLE)
    return UNREACHABLE[errorClass] ?? GENERAL.none;
  if (expected === '2xx' && statusCode !== null && statusCode in WRONG_URL)
    return WRONG_URL[statusCode] ?? GENERAL['4xx'];
  return own[status] ?? GENERAL[status];
}

/** A response, or each of several, that takes this long is slow: many events at once would time out. */
const SLOW_MS = 2_000;

export function isSlow({ durationMs }: Pick<DeliveryResult, 'durationMs'>): boolean {
  return durationMs >= SLOW_MS;
}

export const SLOW_ADVICE =
  `The receiver took ${SLOW_MS / 1000} seconds or longer. Respond at once, and do the work afterwards: ` +
  'events of a busy time would fail at the deadline.';

/** Why a request got no response, where it is not that time passed. */
const UNREACHABLE: Partial<Record<DeliveryErrorClass, string>> = {
  url: 'The URL cannot be called: it must be a whole https URL.',
  dns: 'The host name does not resolve: check its spelling, and its records.',
  address_blocked: 'The host is an address to which webhooks are not sent: use a public one.',
  port_blocked: 'Webhooks are not sent to this port: use 443, or one above 1023.',
  connect_refused:
    'The connection was refused: nothing listens at this address and port, or a firewall rejects it.',
  connect_unreachable: 'There is no route to the address: check the address and the network.',
  connect_reset: 'The receiver closed the connection without a response: it may have crashed.',
  tls: 'The TLS handshake failed: check the certificate, its chain and the host name.',
  protocol: 'The response is not HTTP/1.1: check what listens at this port.',
  internal: 'The service could not send the request: try again.',
};

/** Statuses that say that the URL is wrong, rather than the receiver's code. */
const WRONG_URL: Readonly<Record<number, string>> = {
  404: 'There is nothing at this URL (404 Not Found): check its path, and the routes of the receiver.',
  405: 'The URL does not accept POST (405 Method Not Allowed): check the routes of the receiver.',
  410: 'The URL is gone (410): a delivery that gets this response switches the endpoint off.',
};

const GENERAL: Readonly<Record<StatusClass, string>> = {
  '2xx': 'The receiver accepted a request that it must reject.',
  '3xx': 'The receiver redirects, and redirects are not followed: set the URL that responds itself.',
  '4xx': 'The receiver rejected a request that it must accept.',
  '5xx': 'The receiver failed. Respond 401 to what must be rejected, and 200 to what is accepted.',
  none: 'The receiver did not respond in time. Respond at once, also to reject, and do the work afterwards.',
};

const ORDER =
  'The receiver does not expect events out of order: respond 200 to each, ' +
  'and let `sequence` decide which of a payment is the latest.';
const TWICE =
  'The receiver does not expect an event twice: store the ids of events, ' +
  'and respond 200 to a known one without doing anything.';

const ADVICE: Readonly<Record<CaseName, Partial<Record<StatusClass, string>>>> = {
  good: {
    '4xx':
      'The receiver rejected a good event. Does the URL accept POST? ' +
      'Does it verify the raw bytes, with the secret of GET /v1/webhooks/secrets, and is its clock right?',
    '5xx': 'The receiver failed on a good event.',
    none:
      'The receiver did not respond to a good event in time: ' +
      'respond 200 at once, and do the work afterwards.',
  },
  duplicate: { '4xx': TWICE, '5xx': TWICE },
  reordered: { '4xx': ORDER, '5xx': ORDER },
  wrong_signature: {
    '2xx': 'The receiver does not verify the signature: anybody can report to it that an order is paid.',
  },
  missing_signature: {
    '2xx': 'The receiver accepted an event without a signature: reject such requests before anything else.',
  },
  stale_timestamp: {
    '2xx':
      'The receiver ignores the timestamp: reject what was signed more than 300 seconds ago, ' +
      'or a recorded request can be replayed at any time.',
  },
  future_timestamp: {
    '2xx':
      'The receiver accepts a timestamp from the future: reject what is more than 300 seconds ahead, ' +
      'or a recorded request can be replayed until then.',
  },
  altered_body: {
    '2xx': 'The receiver does not verify the body: it acts on something else than what was signed.',
  },
  reformatted_body: {
    '2xx':
      'The receiver verifies a body that was parsed and written again, ' +
      'not the bytes that arrived: keep the raw body, and verify that.',
  },
};
