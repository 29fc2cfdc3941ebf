import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../src/platform/log.ts';

/**
 * How long the run waits for what it needs itself, beside what it judges: its own start, on a machine with
 * much other work.
 */
export const PATIENCE_MS = 300_000;
const ATTEMPT_MS = 60_000;
const PAUSE_MS = 500;

/** Sends a request; null, and `onError` gets why, without a response in time. */
export async function send(
  url: string,
  init: RequestInit,
  timeoutMs: number,
  onError: (message: string) => void = () => undefined,
): Promise<{ status: number; text: string } | null> {
  // It throws for a number that is not whole: that is no missing response.
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { ...init, signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    onError(messageOf(error));
    return null;
  }
}

/**
 * Sends a request of the run itself, again while there is no response or a 503; returns the body of a 200.
 * Throws with any other response, and when its patience ends.
 */
export async function sendPatiently(what: string, url: string, init: RequestInit): Promise<string> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    let result = '';
    const response = await send(url, init, ATTEMPT_MS, (message) => (result = message));
    if (response?.status === 200) return response.text;
    if (response !== null) result = `${response.status} ${response.text}`;
    const isFinal = (response !== null && response.status !== 503) || performance.now() > end;
    if (isFinal) throw new Error(`the run cannot go on, because ${what} returned: ${result}`);
    await sleep(PAUSE_MS);
  }
}
