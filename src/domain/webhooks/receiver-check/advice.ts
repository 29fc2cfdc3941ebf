import type { CaseName } from './cases.ts';

/** What the class of an answer says of the receiver that gave it; `none`: no answer came. */
export type AnswerClass = '2xx' | '3xx' | '4xx' | '5xx' | 'none';

export function answerClass(statusCode: number | null): AnswerClass {
  if (statusCode === null) return 'none';
  if (statusCode < 300) return '2xx';
  if (statusCode < 400) return '3xx';
  return statusCode < 500 ? '4xx' : '5xx';
}

/**
 * What a merchant whose receiver failed a case should look at, in one or two sentences. Sources: specification, "Receiver rules";
 * contract, "Events" (at least once, in any order, redirects are failures).
 */
export function adviceOn(name: CaseName, answer: AnswerClass): string {
  const own: Partial<Record<AnswerClass, string>> = ADVICE[name];
  return own[answer] ?? GENERAL[answer];
}

const GENERAL: Readonly<Record<AnswerClass, string>> = {
  '2xx': 'It takes what it must refuse.',
  '3xx': 'It redirects, and redirects are not followed: set the URL that answers itself.',
  '4xx': 'It refuses what it must take.',
  '5xx': 'It fails. What must be refused is answered 401, what is taken 200.',
  none: 'It did not answer in time. Answer at once, also when you refuse, and work afterwards.',
};

const ORDER =
  'It does not expect events out of order: answer 200 to each, and let `sequence` say which of a payment is the latest.';
const TWICE =
  'It does not expect an event twice: remember the ids of events, and answer 200 to one that you know, without doing anything.';

const ADVICE: Readonly<Record<CaseName, Partial<Record<AnswerClass, string>>>> = {
  good: {
    '4xx':
      'It refuses a good event. Does the URL take POST? Does it verify the raw bytes, with the secret of GET /v1/webhooks/secrets, and is its clock right?',
    '5xx': 'It fails on a good event.',
    none: 'It did not answer a good event in time: answer 200 at once, and work afterwards.',
  },
  duplicate: { '4xx': TWICE, '5xx': TWICE },
  reordered: { '4xx': ORDER, '5xx': ORDER },
  wrong_signature: {
    '2xx': 'It does not verify the signature: anybody can tell it that an order is paid.',
  },
  missing_signature: {
    '2xx': 'It takes an event without a signature: refuse what bears none, before anything else.',
  },
  stale_timestamp: {
    '2xx':
      'It ignores the timestamp: refuse what was signed more than 300 seconds ago, or a recorded request can be sent again at any time.',
  },
  altered_body: {
    '2xx': 'It does not verify the body: what it acts on is not what was signed.',
  },
  reformatted_body: {
    '2xx':
      'It verifies a body that was parsed and written again, not the bytes that arrived: keep the raw body, and verify that.',
  },
};
