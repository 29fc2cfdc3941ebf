import { Refused } from './refused.ts';
import type { JsonRpc } from './json-rpc.ts';
import { ProviderError } from './provider-error.ts';
import type { Providers } from './providers.ts';

export const NO_PROVIDER = new ProviderError('unreachable', 'no provider of the network can be asked now');

/** True for what a provider is to blame for. */
export const isFault = (error: unknown): error is ProviderError | Refused =>
  error instanceof ProviderError || error instanceof Refused;

/** True for an answer that says that this node does not know: it has not the method, or not the state. */
export const isUnable = (error: unknown): boolean =>
  error instanceof ProviderError && (error.fault === 'no_method' || error.fault === 'rpc_error');

/**
 * True for what may lie in the transaction that is asked for, which anybody may name: one of before a fork,
 * or of a block that is too large. It says nothing against the provider, which serves the network all the
 * same.
 */
export const isOfTransaction = (error: unknown): boolean =>
  error instanceof Refused
    ? error.kind !== 'wrong_chain'
    : isUnable(error) || (error instanceof ProviderError && error.fault === 'too_large');

/** Asks the providers of a network, once each has shown that it serves its chain. */
export class Questions {
  readonly #providers: Providers;
  /** Throws Refused when a provider serves another chain. */
  readonly #checkChain: (provider: JsonRpc) => Promise<void>;
  /** Providers whose chain was checked, since they last failed. */
  readonly #checked = new Set<JsonRpc>();

  constructor(providers: Providers, checkChain: (provider: JsonRpc) => Promise<void>) {
    this.#providers = providers;
    this.#checkChain = checkChain;
  }

  async check(provider: JsonRpc): Promise<void> {
    if (this.#checked.has(provider)) return;
    await this.#checkChain(provider);
    this.#checked.add(provider);
  }

  fail(provider: JsonRpc, error: ProviderError | Refused, now: Date): void {
    this.#checked.delete(provider);
    this.#providers.failed(provider, error, now);
  }

  /**
   * Returns what the first provider answers that answers at all. One that does not know is not at fault, and
   * the next one is asked. Throws what the last one said, and that it does not know only when all say so.
   */
  async ask<Answer>(
    question: (provider: JsonRpc) => Promise<Answer>,
    now: Date,
    isNoFault: (error: unknown) => boolean = isUnable,
  ): Promise<Answer> {
    const unable = new Map<JsonRpc, unknown>();
    let last: unknown = NO_PROVIDER;
    for (const provider of this.#providers.toAsk(now)) {
      try {
        await this.check(provider);
        return await question(provider);
      } catch (error) {
        if (!isFault(error)) throw error;
        if (isNoFault(error)) unable.set(provider, error);
        else {
          this.fail(provider, error, now);
          last = error;
        }
      }
    }
    const [said] = unable.values();
    throw unable.size === this.#providers.names.length ? said : last;
  }

  /** Yields what providers of other hosts answer. One that fails says nothing. */
  async *others<Answer>(
    provider: JsonRpc,
    question: (other: JsonRpc) => Promise<Answer>,
    now: Date,
  ): AsyncGenerator<Answer> {
    for (const other of this.#providers.others(provider, now)) {
      try {
        await this.check(other);
        yield await question(other);
      } catch (error) {
        if (!isFault(error)) throw error;
      }
    }
  }
}
