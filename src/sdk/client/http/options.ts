/** Longer than the service's own limit for a request. */
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 4;

/** What a client is made of. */
export interface ClientOptions {
  /** `sk_test_...` or `sk_live_...`. */
  readonly apiKey: string;
  /** Where the service is, such as `https://pay.example`: what stands before `/v1`. */
  readonly baseUrl: string;
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

/** Checks the options and fills in the defaults. Throws TypeError, without the value of a key. */
export function readOptions(options: ClientOptions): Settings {
  // The error of a header that cannot be sent would show it.
  if (!/^[\x21-\x7e]+$/.test(options.apiKey)) throw new TypeError('apiKey must be an API key: sk_...');
  const { protocol, username, password, search, hash } = new URL(options.baseUrl);
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '')
    throw new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment');
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number above 0');
  const maxRetries = options.maxRetries ?? DEFAULT_RETRIES;
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('maxRetries must be a whole number, 0 or more');
  return {
    apiKey: options.apiKey,
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    timeoutMs,
    maxRetries,
    // Some runtimes refuse a fetch that is called as a method of another object.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    sleep: options.sleep ?? sleep,
    now: options.now ?? (() => performance.now()),
    random: options.random ?? Math.random,
  };
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
