import { Agent, request } from 'undici';
import { hostOf } from '../../../platform/config/chains.ts';
import { parseUrl } from '../../../platform/values/urls.ts';
import type { Provider } from '../port.ts';
import { readBody } from '../rpc/body.ts';
import type { Limits } from '../rpc/json-rpc.ts';
import { ProviderError, type ProviderFault } from '../rpc/provider-error.ts';

/** A hash is 64 bytes. */
const MAX_BODY_BYTES = 1_024;
const REQUEST_SECONDS = 15;

/** An Esplora host: a second source for the hashes of blocks, by its HTTP API. */
export class Esplora {
  /** `2 blocks.example.com`: the place among the network's providers, and the host with its port. */
  readonly name: string;
  readonly host: string;
  readonly #base: URL;
  readonly #seconds: number;
  readonly #agent = new Agent({ connections: 1 });
  #hasFailed = false;

  constructor(url: string, place: number, { requestSeconds = REQUEST_SECONDS }: Limits = {}) {
    const parsed = parseUrl(url);
    if (parsed === null) throw new RangeError(`the URL of provider ${place} is none`);
    this.#base = parsed;
    this.host = hostOf(parsed);
    this.name = `${place} ${parsed.host}`;
    this.#seconds = requestSeconds;
  }

  get health(): Provider {
    return { name: this.name, ok: !this.#hasFailed, lag: null };
  }

  /** Returns the hash of the block at a height. Throws ProviderError, also where the host has none there. */
  async hashAt(height: number): Promise<string> {
    try {
      const hash = await this.#read(`block-height/${height}`);
      this.#hasFailed = false;
      return hash;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #read(path: string): Promise<string> {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
    const signal = AbortSignal.timeout(this.#seconds * 1_000);
    const { statusCode, body } = await request(url, { signal, dispatcher: this.#agent }).catch(() => {
      throw this.#error(signal.aborted ? 'timeout' : 'unreachable');
    });
    const read = await readBody(body, false, MAX_BODY_BYTES).catch(() => {
      throw this.#error(signal.aborted ? 'timeout' : 'unreachable');
    });
    if (statusCode !== 200) throw this.#error('status');
    const hash = read?.toString('latin1').trim() ?? '';
    if (!/^[0-9a-f]{64}$/.test(hash)) throw this.#error('no_result');
    return hash;
  }

  #error(fault: ProviderFault): ProviderError {
    return new ProviderError(fault, `provider ${this.name} named no block (${fault})`);
  }
}
