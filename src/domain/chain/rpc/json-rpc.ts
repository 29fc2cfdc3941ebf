import { Agent, request } from 'undici';
import { hostOf } from '../../../platform/config/chains.ts';
import { messageOf } from '../../../platform/log.ts';
import { parseUrl } from '../../../platform/values/urls.ts';
import { countValues, readBody } from './body.ts';
import { ProviderError } from './provider-error.ts';

/** A full block with its transactions is some hundred kilobytes; nothing honest is as large as this. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/**
 * Empty lists are three bytes each, and sixty once they are parsed: 32 MiB of them are more memory than the
 * process may have. A block of 100,000 logs has a million values.
 */
const MAX_VALUES = 2_000_000;
const REQUEST_SECONDS = 15;
/** Blocks that are read ahead, and what is asked beside them. */
const CONNECTIONS = 8;

/** JSON-RPC 2.0, "Error object". */
const METHOD_NOT_FOUND = -32_601;
/** With these Bitcoin Core sends an error of a method. */
const ERROR_STATUS = new Set([404, 500]);
/** Providers limit the calls of a batch. */
const CALLS_A_BATCH = 50;

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Limits of a request, for tests. */
export interface Limits {
  readonly maxBodyBytes?: number;
  readonly maxValues?: number;
  readonly requestSeconds?: number;
}

/** The JSON-RPC of one provider. Its URL is a secret: only number and host are ever named. */
export class JsonRpc {
  /** `1 rpc.example.com`: the place among the network's providers, and the host with its port. */
  readonly name: string;
  /** Who answers: two ports of a host are no second source. */
  readonly host: string;
  /** Requests that were sent so far. */
  requests = 0;
  /**
   * Until when, by `performance.now()`, it is not asked for an extra: it has said that it has none, or took
   * too long, for which no block may wait again and again.
   */
  readonly without = { pending: 0, traces: 0 };
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: Agent;
  readonly #limits: Required<Limits>;

  constructor(url: string, place: number, limits: Limits = {}) {
    const parsed = parseUrl(url);
    // The error of `new URL` has the text that is none, and with it the key.
    if (parsed === null) throw new RangeError(`the URL of provider ${place} is none`);
    this.#url = parsed;
    this.host = hostOf(parsed);
    this.name = `${place} ${parsed.host}`;
    const { username, password } = this.#url;
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers = {
      'content-type': 'application/json',
      // Receipts are a megabyte a block, and a tenth of it compressed.
      'accept-encoding': 'gzip',
      ...(credentials === ':'
        ? {}
        : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    };
    this.#url.username = '';
    this.#url.password = '';
    this.#limits = {
      maxBodyBytes: MAX_BODY_BYTES,
      maxValues: MAX_VALUES,
      requestSeconds: REQUEST_SECONDS,
      ...limits,
    };
    this.#agent = new Agent({ connections: CONNECTIONS });
  }

  /** Returns the result of a method, which may be null. Throws ProviderError. */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    return this.#resultOf(await this.#post(method, message(0, { method, params })), method, 0);
  }

  /**
   * Returns the results of several calls in their order; they travel in batches. Throws ProviderError; one
   * that `isNone` is null instead.
   */
  async batch(calls: readonly Call[], isNone = NEVER): Promise<readonly unknown[]> {
    const results: unknown[] = [];
    for (let i = 0; i < calls.length; i += CALLS_A_BATCH) {
      const some = calls.slice(i, i + CALLS_A_BATCH);
      const answers = await this.#post(
        'a batch',
        some.map((call, id) => message(id, call)),
      );
      if (!Array.isArray(answers)) throw this.#error('no_result', 'did not answer a batch with a list');
      const byId = new Map(answers.map((answer: unknown) => [idOf(answer), answer]));
      results.push(...some.map(({ method }, id) => this.#resultOf(byId.get(id), method, id, isNone)));
    }
    return results;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #resultOf(answer: unknown, method: string, id: number, isNone = NEVER): unknown {
    const { result, error } = (typeof answer === 'object' && answer !== null ? answer : {}) as {
      result?: unknown;
      error?: { code?: unknown } | null;
    };
    if (error !== undefined && error !== null) {
      const code = typeof error.code === 'number' && Number.isInteger(error.code) ? error.code : null;
      const fault = code === METHOD_NOT_FOUND ? 'no_method' : 'rpc_error';
      const failed = this.#error(fault, `answered ${method} with error ${code ?? 'without a code'}`, {
        code,
      });
      if (isNone(failed)) return null;
      throw failed;
    }
    if (result === undefined || idOf(answer) !== id)
      throw this.#error('no_result', `sent no result for ${method}`);
    return result;
  }

  async #post(what: string, body: unknown): Promise<unknown> {
    this.requests += 1;
    const answer = await this.#exchange(what, JSON.stringify(body));
    const { maxValues } = this.#limits;
    if (countValues(answer) > maxValues)
      throw this.#error('too_large', `answered ${what} with more than ${maxValues} values`);
    try {
      return JSON.parse(answer.toString('utf8'));
    } catch {
      throw this.#error('not_json', `answered ${what} with something else than JSON`);
    }
  }

  async #exchange(what: string, body: string): Promise<Buffer> {
    const { requestSeconds, maxBodyBytes } = this.#limits;
    // One deadline for the whole request: a body that drips does not restart it.
    const signal = AbortSignal.timeout(requestSeconds * 1000);
    try {
      const answer = await request(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body,
        signal,
        dispatcher: this.#agent,
      });
      const isCompressed = answer.headers['content-encoding'] === 'gzip';
      const read = await readBody(answer.body, isCompressed, maxBodyBytes);
      if (read === null)
        throw this.#error('too_large', `answered ${what} with more than ${maxBodyBytes} bytes`);
      if (answer.statusCode === 200 || (ERROR_STATUS.has(answer.statusCode) && isError(read))) return read;
      const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN);
      throw this.#error(
        answer.statusCode === 429 ? 'rate_limited' : 'status',
        `answered ${what} with status ${answer.statusCode}`,
        { retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null },
      );
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (signal.aborted) throw this.#error('timeout', `did not answer ${what} within ${requestSeconds} s`);
      throw this.#error('unreachable', `could not be asked for ${what} (${codeOf(error)})`);
    }
  }

  #error(
    fault: ConstructorParameters<typeof ProviderError>[0],
    what: string,
    more?: ConstructorParameters<typeof ProviderError>[2],
  ) {
    return new ProviderError(fault, `provider ${this.name} ${what}`, more);
  }
}

const NEVER = (_error: unknown): boolean => false;

/** True for the JSON of an error of a method. */
const isError = (body: Buffer): boolean =>
  /^\s*\{[^]*"error"\s*:\s*\{/.test(body.subarray(0, 200).toString('latin1'));

const message = (id: number, { method, params }: Call) => ({ jsonrpc: '2.0', id, method, params });

const idOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;

/** The code of a socket's error; its text may hold the URL. */
function codeOf(error: unknown): string {
  const { code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  return code ?? (error instanceof Error ? error.name : messageOf(error));
}
