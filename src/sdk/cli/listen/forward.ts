import { type WebhookEvent, signWebhook } from '../../index.ts';
import { codeOf } from '../settings/files.ts';
import { printable, type Output } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** As of a delivery of the service (contract, "Events"). */
const TIMEOUT_MS = 15_000;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

export interface Receiver {
  readonly url: string;
  /** Newest first. */
  readonly secrets: readonly string[];
  /** After how many attempts an event is passed over; undefined: never. */
  readonly skipAfter: number | undefined;
}

interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

/** What --json prints of an attempt. */
interface Line extends Attempt {
  readonly at: string;
  readonly event_id: string;
  readonly type: string;
  readonly payment_id: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly redelivery: boolean;
  readonly skipped: boolean;
}

/**
 * Forwards an event until the receiver takes it (2xx), and prints each attempt. Waits between two attempts,
 * from half a second up to 30 s. Rejects with the reason of `terminal.signal`; then the event is not done.
 */
export async function forward(
  { terminal, output }: { readonly terminal: Terminal; readonly output: Output },
  receiver: Receiver,
  event: WebhookEvent,
  isRedelivery: boolean,
): Promise<void> {
  for (let number = 1; ; number += 1) {
    const attempt = await post(terminal, receiver, event);
    const isTaken = attempt.error === null;
    const skipped = !isTaken && number === receiver.skipAfter;
    const line: Line = {
      at: terminal.now().toISOString(),
      event_id: event.id,
      type: event.type,
      payment_id: event.data.checkout.id,
      sequence: event.sequence,
      attempt: number,
      ...attempt,
      redelivery: isRedelivery,
      skipped,
    };
    output.show(line, () => textOf(output, line));
    if (isTaken || skipped) return;
    await terminal.sleep(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (number - 1)), terminal.signal);
  }
}

/** One request, as the service sends it: the same bytes, the same five headers, no redirect. */
async function post(terminal: Terminal, { url, secrets }: Receiver, event: WebhookEvent): Promise<Attempt> {
  // The service writes events by JSON.stringify: what was parsed becomes the same bytes again.
  const rawBody = JSON.stringify(event);
  const begin = terminal.now();
  const durationOf = () => Math.max(0, terminal.now().getTime() - begin.getTime());
  try {
    const response = await terminal.fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'payment-checkout-listen',
        ...signWebhook({ eventId: event.id, rawBody, secrets, now: begin }),
      },
      body: rawBody,
      redirect: 'manual',
      signal: AbortSignal.any([terminal.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    const { status, ok } = response;
    return { status, error: ok ? null : `answered ${status}`, duration_ms: durationOf() };
  } catch (error) {
    terminal.signal.throwIfAborted();
    return { status: null, error: reasonOf(error), duration_ms: durationOf() };
  }
}

/** Why no response came. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `no answer within ${TIMEOUT_MS / 1000} s`;
  return codeOf(error);
}

function textOf({ paint }: Output, line: Line): string {
  const { at, type, payment_id, sequence, status, error, duration_ms: ms, redelivery, skipped } = line;
  const outcome =
    error === null
      ? paint('green', `${status} in ${ms} ms`)
      : paint('red', error + (skipped ? ', skipped' : ''));
  const again = redelivery ? paint('yellow', '  redelivery') : '';
  const event = printable(`${type.padEnd(23)}  ${payment_id}  ${sequence}`);
  return `${paint('dim', at.slice(0, 19))}Z  ${event}  ${outcome}${again}`;
}
