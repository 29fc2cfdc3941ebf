import {
  dripBody,
  dripHeader,
  redirect,
  reset,
  resetInHeader,
  startReceiver,
  type Answer,
  type ReceivedRequest,
  type Receiver,
} from '../test/support/receivers.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyWebhook } from '../src/sdk/index.ts';
import { seededRandom } from './seeded-random.ts';

/** How a merchant's receiver behaves until it accepts an event. */
export const BEHAVIOURS = ['good', 'slow', 'wrong', 'drip', 'reset', 'redirect', 'cut', 'down'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** A faulty receiver fails an event at most this often, ... */
const FAILING_TRIES = 2;
/**
 * ... and only this share of attempts: otherwise its circuit opens, and each of its events waits for the
 * probe.
 */
const FAILING_SHARE = 0.5;
const SLOW_MS = 1_000;

/** What one merchant's receiver has received. */
export interface ReceiverLog {
  /** Every event that was accepted, with its bytes and how often it was accepted. */
  readonly taken: ReadonlyMap<string, { readonly body: string; readonly times: number }>;
  readonly requests: () => number;
  /** What must not happen: an invalid signature, an id with two bodies, a redirect that was followed. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly seed: string;
  readonly behaviour: Behaviour;
  readonly secret: string;
  /** True during the outage of a `down` receiver. */
  readonly isDown: () => boolean;
}

/** Starts a receiver that records what arrives. */
export async function startShopReceiver(
  options: ReceiverOptions,
): Promise<ReceiverLog & { readonly url: string }> {
  const taken = new Map<string, { body: string; times: number }>();
  const bodies = new Map<string, string>();
  const tries = new Map<string, number>();
  const faults: string[] = [];
  const take = (eventId: string, body: string) =>
    taken.set(eventId, { body, times: (taken.get(eventId)?.times ?? 0) + 1 });
  const answer = (request: ReceivedRequest): Answer | Promise<Answer> => {
    const { rawBody, headers, path, method } = request;
    if (path !== '/hooks' || method !== 'POST')
      faults.push(`${method} ${path} came: a redirect was followed`);
    const verified = verifyWebhook({ rawBody, headers, secrets: options.secret });
    if (!verified.ok) {
      faults.push(`a request was refused: ${verified.message}`);
      return { status: 401 };
    }
    const { eventId } = verified;
    const body = rawBody.toString();
    if ((bodies.get(eventId) ?? body) !== body) faults.push(`${eventId} came with two bodies`);
    bodies.set(eventId, body);
    const number = (tries.get(eventId) ?? 0) + 1;
    tries.set(eventId, number);
    return responseOf(options, eventId, number, () => void take(eventId, body));
  };
  const receiver: Receiver = await startReceiver({ answer });
  return {
    url: receiver.url,
    taken,
    requests: () => receiver.requests.length,
    faults,
    close: () => receiver.close(),
  };
}

/** Returns the response to attempt `number` of an event; calls `take` when the receiver accepts the event. */
function responseOf(
  { seed, behaviour, isDown }: ReceiverOptions,
  eventId: string,
  number: number,
  take: () => void,
): Answer | Promise<Answer> {
  const isFailing = number <= FAILING_TRIES && seededRandom(seed, eventId, number) < FAILING_SHARE;
  const good = (answer: Answer = {}): Answer => {
    take();
    return answer;
  };
  const isFirst = number === 1;
  const answers: Readonly<Record<Behaviour, () => Answer | Promise<Answer>>> = {
    good,
    slow: () => sleep(SLOW_MS).then(() => good()),
    wrong: () => (isFailing ? { status: isFirst ? 500 : 404 } : good()),
    // A status of 200 counts, even when the body drips.
    drip: () => (isFailing ? dripHeader() : good(isFirst ? {} : dripBody())),
    reset: () => (isFailing ? (isFirst ? reset : resetInHeader) : good()),
    redirect: () => (isFailing ? redirect(isFirst ? 302 : 308, '/elsewhere') : good()),
    // It accepts the event, and the response is lost.
    cut: () => good(isFailing ? reset : {}),
    down: () => (isDown() ? { status: 503 } : good()),
  };
  return answers[behaviour]();
}
