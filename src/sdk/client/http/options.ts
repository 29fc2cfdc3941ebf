/** Longer than the service's own limit for a request. */
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 4;

/** What a client is made of. */
export interface ClientOptions {
  /**
   * `sk_test_...` or `sk_live_...`: `process.env.PAYMENT_CHECKOUT_KEY`. The client throws where it is not
   * set.
   */
  readonly apiKey: string | undefined;
  /**
   * Where the service is, such as `https://pay.example`: what stands before `/v1`;
   * `process.env.PAYMENT_CHECKOUT_URL`. The client throws where it is not set.
   */
  readonly baseUrl: string | undefined;
  /** How long an attempt may take, in milliseconds; default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is tried again; default 4, 0: never. */
  readonly maxRetries?: number | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Waits; ends with the signal's reason when that is aborted. For tests; default: a timer. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** Milliseconds of a clock that only moves forward. For tests; default: `performance.now`. */
  readonly now?: (() => number) | undefined;
  /** 0 up to 1, spreads retries. For tests; default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** What every method takes last. */
export interface RequestOptions {
  /** Ends the request, its retries and its waits, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long an attempt of this request may take, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** What methods that change something take last. */
export interface PostOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters: requests with the same key have one effect, also after a restart of
   * your program. Default: a new random one, kept through all retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options with all defaults. */
export type Settings = { readonly [Name in keyof ClientOptions]-?: NonNullable<ClientOptions[Name]> };

/**
 * Checks the options and fills in the defaults. Throws TypeError that names the option and the remedy,
 * without the value of a key.
 */
export function readOptions(options: ClientOptions): Settings {
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new TypeError('PaymentCheckout takes one object: new PaymentCheckout({ apiKey, baseUrl })');
  for (const name of ['fetch', 'sleep', 'now', 'random'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'function')
      throw new TypeError(`${name} must be a function: leave it out for the default`);
  const maxRetries: unknown = options.maxRetries ?? DEFAULT_RETRIES;
  if (typeof maxRetries !== 'number' || !Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('maxRetries must be a whole number, 0 or more');
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  checkTimeout(timeoutMs);
  return {
    apiKey: keyOf(options.apiKey),
    baseUrl: baseOf(options.baseUrl),
    timeoutMs,
    maxRetries,
    // Some runtimes refuse a fetch that is called as a method of another object.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    sleep: options.sleep ?? sleep,
    now: options.now ?? (() => performance.now()),
    random: options.random ?? Math.random,
  };
}

/** Checks what a method takes last. Throws TypeError that names the option and the remedy. */
export function checkRequest({ signal, timeoutMs, idempotencyKey }: PostOptions): void {
  if (timeoutMs !== undefined) checkTimeout(timeoutMs);
  if (signal !== undefined && typeof (Object(signal) as Partial<AbortSignal>).addEventListener !== 'function')
    throw new TypeError('signal must be an AbortSignal: that of an AbortController, not the controller');
  const key: unknown = idempotencyKey ?? 'none';
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be a string of 1 to 255 visible ASCII characters');
}

function checkTimeout(timeoutMs: unknown): void {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new TypeError('timeoutMs must be a number of milliseconds above 0');
}

/** A file or a variable often ends in a line feed. */
function textOf(name: string, value: unknown, variable: string): string {
  const text = typeof value === 'string' ? value.trim() : '';
  if (text !== '') return text;
  const kind = typeof value === 'string' ? 'empty' : value === null ? 'null' : typeof value;
  throw new TypeError(`${name} is ${kind}, and must be a string: is ${variable} set?`);
}

function keyOf(given: unknown): string {
  const key = textOf('apiKey', given, 'PAYMENT_CHECKOUT_KEY');
  // The error of a header that cannot be sent would show it.
  if (!/^sk_[\x21-\x7e]+$/.test(key))
    throw new TypeError('apiKey must be an API key: it begins with sk_, and has no white space inside');
  return key;
}

function baseOf(given: unknown): string {
  const text = textOf('baseUrl', given, 'PAYMENT_CHECKOUT_URL');
  const url = parsed(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('baseUrl must be an http(s) URL, such as https://pay.example');
  if (url.username + url.password + url.search + url.hash !== '')
    throw new TypeError('baseUrl must be a URL without credentials, query or fragment');
  if (/\/v1(\/|$)/.test(url.pathname))
    throw new TypeError('baseUrl must end before /v1, which the client adds: https://pay.example');
  return text.replace(/\/+$/, '');
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
