import type { IncomingHttpHeaders } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { responseError, DeliveryError, logText, type DeliveryErrorClass } from './delivery-error.ts';
import type { Peer } from './connector.ts';

const MAX_BODY_BYTES = 16 * 1024;
const EXCERPT_BYTES = 1024;

/** What came of one POST. */
export interface DeliveryResult {
  /** Answered 2xx; whether the body behind it was whole does not matter. */
  readonly ok: boolean;
  /** The answer's status; null when no complete header came. */
  readonly statusCode: number | null;
  readonly errorClass: DeliveryErrorClass | null;
  /** One line for people, at most 300 characters; null on success. */
  readonly errorDetail: string | null;
  /** The address that was connected to; null when no connection came about. */
  readonly remoteAddress: string | null;
  readonly durationMs: number;
  /** The answer's Retry-After as received, for `nextAttemptAt`. */
  readonly retryAfter: string | null;
  /** The first 1 kB of the answer's body as text without NUL; null when there was no answer. */
  readonly excerpt: string | null;
}

/** Any header may come twice, whatever Node's type of it says. */
type ResponseHeaders = Readonly<NodeJS.Dict<string | string[]>>;

/** One exchange: undici's handler for it, and the deadline. The first thing to end it settles it; the rest is ignored. */
export class WebhookRequest implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #settle: (result: DeliveryResult) => void;
  #settled = false;
  #peer: Peer | null = null;
  #statusCode: number | null = null;
  #headers: ResponseHeaders = {};
  #bodyBytes = 0;
  readonly #excerpt: Buffer[] = [];

  constructor(timeoutMs: number, settle: (result: DeliveryResult) => void) {
    this.#timeoutMs = timeoutMs;
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
  }

  assign(peer: Peer): void {
    this.#peer = peer;
  }

  fail(fault: DeliveryError): void {
    this.#end(fault);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It waited for a connection until after its deadline: it was reported as not sent, so it must not be sent.
    if (this.#settled) controller.abort(new Error('the deadline has passed'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // 1xx are announcements; the answer follows.
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const missing = EXCERPT_BYTES - this.#bodyBytes;
    if (missing > 0) this.#excerpt.push(chunk.subarray(0, missing));
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > MAX_BODY_BYTES) this.#endAndDisconnect(null);
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(responseError(error));
  }

  #expire(): void {
    this.#endAndDisconnect(new DeliveryError('timeout', `${this.#waitedFor()} within ${this.#timeoutMs} ms`));
  }

  #waitedFor(): string {
    if (this.#peer === null) return 'no connection was free';
    return this.#peer.address === null ? 'no connection came about' : 'no complete answer header came';
  }

  /**
   * Not undici's abort: that reconnects for a request which is no longer there (nodejs/undici 5845), and would double the
   * connections to a receiver that hangs.
   */
  #endAndDisconnect(fault: DeliveryError | null): void {
    const wasSettled = this.#settled;
    this.#end(fault);
    if (!wasSettled) this.#peer?.socket?.destroy(new Error('the exchange is over'));
  }

  #end(fault: DeliveryError | null): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#settle(this.#result(fault));
  }

  #result(fault: DeliveryError | null): DeliveryResult {
    const statusCode = this.#statusCode;
    // Once the header is here the status decides; how the body ends does not matter.
    const verdict = statusCode === null ? fault : statusError(statusCode, this.#headers);
    const retryAfter = this.#headers['retry-after'];
    return {
      ok: statusCode !== null && verdict === null,
      statusCode,
      errorClass: verdict?.errorClass ?? null,
      errorDetail: verdict?.message ?? null,
      remoteAddress: this.#peer?.address ?? null,
      durationMs: performance.now() - this.#startedAt,
      retryAfter: retryAfter === undefined ? null : logText(String(retryAfter)),
      excerpt: statusCode === null ? null : textOf(this.#excerpt),
    };
  }
}

function statusError(statusCode: number, headers: ResponseHeaders): DeliveryError | null {
  if (statusCode < 300) return null;
  if (statusCode >= 400) return new DeliveryError('status', `answered ${statusCode}`);
  const to = headers.location === undefined ? '' : ` to ${String(headers.location)}`;
  return new DeliveryError('redirect', logText(`answered ${statusCode}${to}; redirects are not followed`));
}

function textOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return '';
  // StringDecoder drops a character that the cut has halved; Postgres takes no NUL in text.
  return new StringDecoder('utf8').write(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD');
}
