import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { responseError, DeliveryError, sanitizeLogText, type DeliveryErrorClass } from './delivery-error.ts';
import type { Peer } from './connector.ts';
import { decompressed, EXCERPT_BYTES, textOf } from './excerpt.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** The status decides; a body that does not end holds the payment's next event no longer than this. */
const BODY_MS = 1_000;

export interface DeliveryResult {
  /** The status is 2xx; whether the response body was complete does not matter. */
  readonly ok: boolean;
  /** The response's status; null without a complete response header. */
  readonly statusCode: number | null;
  readonly errorClass: DeliveryErrorClass | null;
  /** One line for people, see `sanitizeLogText`; null on success. */
  readonly errorDetail: string | null;
  /** The receiver's address; null without a connection. */
  readonly remoteAddress: string | null;
  readonly durationMs: number;
  /** The response's Retry-After as received, for `nextAttemptAt`. */
  readonly retryAfter: string | null;
  /** The first 1 kB of the response body, decompressed, as text without NUL; null without a response. */
  readonly excerpt: string | null;
}

/** Any header may occur twice, contrary to Node's type. */
type ResponseHeaders = Readonly<NodeJS.Dict<string | string[]>>;

/**
 * One request: undici's handler for it, and its deadline. The first event that ends it settles it; later ones
 * are ignored.
 */
export class WebhookRequest implements Dispatcher.DispatchHandler {
  readonly #startedAt = performance.now();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout;
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

  fail(error: DeliveryError): void {
    this.#end(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It waited for a connection past its deadline and was reported as not sent, so it must not be sent.
    if (this.#settled) controller.abort(new Error('the deadline has passed'));
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // 1xx are interim responses; the final one follows.
    if (statusCode < 200 || this.#settled) return;
    clearTimeout(this.#timer);
    const leftMs = this.#timeoutMs - (performance.now() - this.#startedAt);
    this.#timer = setTimeout(() => this.#expire(), Math.min(BODY_MS, Math.max(0, leftMs)));
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
    return this.#peer.socket === null ? 'no connection came about' : 'no complete answer header came';
  }

  /**
   * Destroys the socket instead of undici's abort, which reconnects for a request that has ended
   * (nodejs/undici 5845) and would double the connections to a receiver that hangs.
   */
  #endAndDisconnect(error: DeliveryError | null): void {
    const wasSettled = this.#settled;
    this.#end(error);
    if (!wasSettled) this.#peer?.socket?.destroy(new Error('the request has ended'));
  }

  #end(error: DeliveryError | null): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    const result = this.#result(error);
    const bytes = Buffer.concat(this.#excerpt);
    const [encoding, type] = [this.#header('content-encoding'), this.#header('content-type')];
    if (result.statusCode === null) this.#settle(result);
    else if (encoding === '' || bytes.length === 0) this.#settle({ ...result, excerpt: textOf(bytes, type) });
    else
      void decompressed(bytes, encoding).then((plain) =>
        this.#settle({ ...result, excerpt: textOf(plain, type) }),
      );
  }

  /** Empty: there is none. */
  #header(name: string): string {
    return String(this.#headers[name] ?? '');
  }

  #result(error: DeliveryError | null): DeliveryResult {
    const statusCode = this.#statusCode;
    // Once the header is complete the status decides; how the body ends does not matter.
    const failure = statusCode === null ? error : statusError(statusCode, this.#headers);
    const retryAfter = this.#headers['retry-after'];
    return {
      ok: statusCode !== null && failure === null,
      statusCode,
      errorClass: failure?.errorClass ?? null,
      errorDetail: failure?.message ?? null,
      remoteAddress: this.#peer?.address ?? null,
      durationMs: performance.now() - this.#startedAt,
      retryAfter: retryAfter === undefined ? null : sanitizeLogText(String(retryAfter)),
      excerpt: null,
    };
  }
}

function statusError(statusCode: number, headers: ResponseHeaders): DeliveryError | null {
  if (statusCode < 300) return null;
  if (statusCode >= 400) return new DeliveryError('status', `answered ${statusCode}`);
  const to = headers.location === undefined ? '' : ` to ${String(headers.location)}`;
  return new DeliveryError(
    'redirect',
    sanitizeLogText(`answered ${statusCode}${to}; redirects are not followed`),
  );
}
