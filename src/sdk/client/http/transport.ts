import { apiError, ConnectionError, TimeoutError, type ErrorDetails } from './errors.ts';
import { checkRequest, type PostOptions, type Settings } from './options.ts';
import { retryAfterMs, retryDelay } from './retry.ts';

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with `/v1`. */
  readonly path: string;
  readonly query?: object | undefined;
  /** What becomes JSON, or a file. */
  readonly body?: object;
  readonly file?: { readonly bytes: Uint8Array; readonly type: string };
}

/** Sends a request until there is a response, and returns the JSON of the response. */
export type Send = <Body>(request: Request, options?: PostOptions) => Promise<Body>;

/**
 * Returns what sends requests. A failed attempt is repeated as `retryDelay` says. All attempts of a POST have
 * one idempotency key, so that they have one effect (contract, "Idempotency"); PUT and DELETE have the same
 * effect however often they are sent. Rejects with a PaymentCheckoutError, or the reason of `options.signal`.
 */
export function createSend(settings: Settings): Send {
  return async <Body>(request: Request, options: PostOptions = {}) => {
    checkRequest(options);
    const key = request.method === 'POST' ? (options.idempotencyKey ?? crypto.randomUUID()) : null;
    for (let attempt = 0; ; attempt += 1)
      try {
        // The caller of a method knows what its endpoint returns: the types come from the service's schemas.
        return read(await attemptOnce(settings, request, key, options)) as Body;
      } catch (error) {
        options.signal?.throwIfAborted();
        const delay = attempt < settings.maxRetries ? retryDelay(error, attempt, settings.random) : null;
        if (delay === null) throw error;
        await settings.sleep(delay, options.signal);
      }
  };
}

interface Received {
  readonly name: string;
  readonly response: Response;
  readonly text: string;
}

/** One attempt; `timeoutMs` covers the body of the response, too. */
async function attemptOnce(
  settings: Settings,
  request: Request,
  key: string | null,
  { signal, timeoutMs = settings.timeoutMs }: PostOptions,
): Promise<Received> {
  signal?.throwIfAborted();
  const url = settings.baseUrl + request.path + queryOf(request.query);
  const attempt = new AbortController();
  const abort = () => attempt.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    attempt.abort();
  }, timeoutMs);
  const name = `${request.method} ${request.path}`;
  try {
    const response = await settings.fetch(url, {
      method: request.method,
      headers: headersOf(settings.apiKey, request, key),
      body: bodyOf(request),
      // The key is for this service alone: a redirect would take it elsewhere.
      redirect: 'manual',
      signal: attempt.signal,
    });
    return { name, response, text: await response.text() };
  } catch (error) {
    if (isLate) throw new TimeoutError(`${name}: no response within ${timeoutMs} ms`, { cause: error });
    throw new ConnectionError(`${name}: the service cannot be reached`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function headersOf(apiKey: string, { body, file }: Request, key: string | null): Record<string, string> {
  const type = file?.type ?? (body === undefined ? undefined : 'application/json');
  return {
    Accept: 'application/json',
    'X-API-Key': apiKey,
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(key === null ? {} : { 'Idempotency-Key': key }),
  };
}

function bodyOf({ body, file }: Request): string | Uint8Array<ArrayBuffer> | null {
  if (file !== undefined) return new Uint8Array(file.bytes);
  return body === undefined ? null : JSON.stringify(body);
}

/** Several values are separated by commas (contract, "Lists"). */
function queryOf(query: object = {}): string {
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => {
      if (value === null) throw new TypeError(`${name} is null: leave it out, or name a value`);
      return [name, String(value)];
    });
  return parameters.length === 0 ? '' : `?${String(new URLSearchParams(parameters))}`;
}

function read({ name, response: { status, headers }, text }: Received): unknown {
  const body = parse(text);
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const { message, details } = Object(body) as { message?: unknown; details?: ErrorDetails };
  throw apiError({
    status,
    message: typeof message === 'string' ? message : `${name}: ${foreign(status)}`,
    requestId: headers.get('x-request-id'),
    details: details ?? null,
    retryAfterMs: retryAfterMs(headers),
  });
}

function foreign(status: number): string {
  return status >= 300 && status < 400
    ? `${status}, a redirect, which would take the key elsewhere: name the URL it leads to as baseUrl`
    : `${status}, not from the service`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
