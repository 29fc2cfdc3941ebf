import type { WebhookClient, DeliveryResult } from '../../webhooks/client/client.ts';

/**
 * How a simulated receiver responds: a status, a timeout, or, for the next event only, `twice` or
 * `out_of_order`.
 */
export type ReceiverBehaviour = number | 'timeout' | 'twice' | 'out_of_order';

/** A request as the receiver saw it, and its response. */
export interface ReceivedRequest {
  readonly at: string;
  readonly event_id: string;
  readonly type: string;
  readonly sequence: number;
  readonly answered: number | 'timeout';
}

/** A receiver of webhooks that a scenario controls. */
export interface SimulatedReceiver extends WebhookClient {
  readonly received: readonly ReceivedRequest[];
  respondWith(behaviour: ReceiverBehaviour): void;
}

/**
 * Returns a receiver without a network. `twice`: the next event arrives, but its response is lost, so it is
 * sent again. `out_of_order`: the next event is refused until its successor has arrived.
 */
export function simulateReceiver(now: () => Date): SimulatedReceiver {
  const received: ReceivedRequest[] = [];
  let usual: number | 'timeout' = 200;
  const faults: ('twice' | 'out_of_order')[] = [];
  const posted = new Set<string>();
  let heldBack: string | null = null;
  return {
    received,
    respondWith(behaviour) {
      if (behaviour === 'twice' || behaviour === 'out_of_order') faults.push(behaviour);
      else usual = behaviour;
    },
    post(_url, _headers, body) {
      const { id, type, sequence } = JSON.parse(body.toString()) as {
        id: string;
        type: string;
        sequence: number;
      };
      // A fault applies to the first attempt of an event: the retry of another event is not the next event.
      const fault = posted.has(id) ? undefined : faults.shift();
      posted.add(id);
      if (fault === 'out_of_order') heldBack = id;
      const answered = fault === 'twice' ? 'timeout' : usual;
      // A refused event is not part of what the receiver has received.
      if (id === heldBack && !received.some((other) => other.sequence > sequence))
        return Promise.resolve(resultOf(503));
      received.push({ at: now().toISOString(), event_id: id, type, sequence, answered });
      return Promise.resolve(answered === 'timeout' ? TIMED_OUT : resultOf(answered));
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

function resultOf(statusCode: number): DeliveryResult {
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
