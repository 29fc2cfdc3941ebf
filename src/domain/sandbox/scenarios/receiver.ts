import type { WebhookClient, DeliveryResult } from '../../webhooks/client/client.ts';

/** How a simulated receiver answers: a status, no answer in time, or, for the next event only, `twice` and `out_of_order`. */
export type ReceiverBehaviour = number | 'timeout' | 'twice' | 'out_of_order';

/** What the receiver saw of an exchange, in the order in which it saw it. */
export interface ReceivedRequest {
  readonly at: string;
  readonly event_id: string;
  readonly type: string;
  readonly sequence: number;
  readonly answered: number | 'timeout';
}

/** A receiver of webhooks that a scenario directs. */
export interface SimulatedReceiver extends WebhookClient {
  readonly received: readonly ReceivedRequest[];
  respondWith(answer: ReceiverBehaviour): void;
}

/**
 * Receives every request itself. `twice`: the next event arrives, but its acknowledgement gets lost, so that it comes again.
 * `out_of_order`: the next event is not taken before its successor was.
 */
export function simulateReceiver(now: () => Date): SimulatedReceiver {
  const received: ReceivedRequest[] = [];
  let standing: number | 'timeout' = 200;
  const tricks: ('twice' | 'out_of_order')[] = [];
  const posted = new Set<string>();
  let heldBack: string | null = null;
  return {
    received,
    respondWith(answer) {
      if (answer === 'twice' || answer === 'out_of_order') tricks.push(answer);
      else standing = answer;
    },
    post(_url, _headers, body) {
      const { id, type, sequence } = JSON.parse(body.toString()) as {
        id: string;
        type: string;
        sequence: number;
      };
      // A trick waits for an event that comes for the first time: another one's retry is not the next event.
      const trick = posted.has(id) ? undefined : tricks.shift();
      posted.add(id);
      if (trick === 'out_of_order') heldBack = id;
      const answered = trick === 'twice' ? 'timeout' : standing;
      // An event that is held back never arrived, as far as the receiver's own log goes.
      if (id === heldBack && !received.some((other) => other.sequence > sequence))
        return Promise.resolve(answerOf(503));
      received.push({ at: now().toISOString(), event_id: id, type, sequence, answered });
      return Promise.resolve(answered === 'timeout' ? TIMED_OUT : answerOf(answered));
    },
    close: () => Promise.resolve(),
  };
}

const TIMED_OUT: DeliveryResult = {
  ok: false,
  statusCode: null,
  errorClass: 'timeout',
  errorDetail: 'no complete answer header came in time',
  remoteAddress: null,
  durationMs: 0,
  retryAfter: null,
  excerpt: null,
};

function answerOf(statusCode: number): DeliveryResult {
  const ok = statusCode >= 200 && statusCode < 300;
  return {
    ...TIMED_OUT,
    ok,
    statusCode,
    errorClass: ok ? null : 'status',
    errorDetail: ok ? null : `answered ${statusCode}`,
    excerpt: '',
  };
}
