import type { CaseName } from './cases.ts';

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
export function adviceFor(name: CaseName, status: StatusClass): string {
  const own: Partial<Record<StatusClass, string>> = ADVICE[name];
  return own[status] ?? GENERAL[status];
}

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
  altered_body: {
    '2xx': 'The receiver does not verify the body: it acts on something else than what was signed.',
  },
  reformatted_body: {
    '2xx':
      'The receiver verifies a body that was parsed and written again, ' +
      'not the bytes that arrived: keep the raw body, and verify that.',
  },
};
