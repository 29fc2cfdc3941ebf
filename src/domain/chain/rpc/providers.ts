import { addSeconds } from '../../../platform/clock.ts';
import type { Provider } from '../port.ts';
import { JsonRpc, type Limits } from './json-rpc.ts';
import { ProviderError } from './provider-error.ts';

const MAX_BACKOFF_SECONDS = 60;
/** A provider that asks for more is asked again all the same. */
const MAX_RETRY_AFTER_SECONDS = 300;

/** The parts of its multiples behind the point are spread evenly, also those of each second or third one. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

interface Standing {
  readonly provider: JsonRpc;
  failures: number;
  /** Before this it is not asked; null: it is well. */
  restsUntil: Date | null;
  head: number | null;
}

/**
 * The providers of a network, in this process. One serves a whole poll, so that what is compared comes from
 * one node, and the next serves the next: none can hide anything for longer than a poll.
 */
export class Providers {
  readonly #standings: readonly Standing[];
  /** Polls have turns of their own: as many questions as polls would give all polls to one provider. */
  #turn = 0;
  #questions = 0;

  constructor(urls: readonly string[], limits?: Limits) {
    this.#standings = urls.map((url, i) => ({
      provider: new JsonRpc(url, i + 1, limits),
      failures: 0,
      restsUntil: null,
      head: null,
    }));
  }

  get names(): readonly string[] {
    return this.#standings.map(({ provider }) => provider.name);
  }

  /** Returns the provider of the next poll; null: all of them rest. */
  next(now: Date): JsonRpc | null {
    for (const _ of this.#standings) {
      const standing = this.#standings[this.#turn % this.#standings.length];
      this.#turn += 1;
      if (standing !== undefined && isAwake(standing, now)) return standing.provider;
    }
    return null;
  }

  /**
   * Returns who can be asked a question beside the polls, the first first. Who begins follows no cycle: where
   * several questions belong together, one of them would always be put to the same provider.
   */
  toAsk(now: Date): readonly JsonRpc[] {
    const awake = this.#standings.filter((one) => isAwake(one, now)).map(({ provider }) => provider);
    const first = Math.floor(((this.#questions * GOLDEN_RATIO) % 1) * awake.length);
    this.#questions += 1;
    return [...awake.slice(first), ...awake.slice(0, first)];
  }

  /** Returns the providers of other hosts than that one's, those that are well first. */
  others(provider: JsonRpc, now: Date): readonly JsonRpc[] {
    const others = this.#standings.filter((other) => other.provider.host !== provider.host);
    return [...others.filter((one) => isAwake(one, now)), ...others.filter((one) => !isAwake(one, now))].map(
      (one) => one.provider,
    );
  }

  /** Records that a provider served a poll, and its head. */
  succeeded(provider: JsonRpc, head: number): void {
    const standing = this.#standingOf(provider);
    if (standing !== undefined) Object.assign(standing, { failures: 0, restsUntil: null, head });
  }

  /** Records that a provider did not serve a poll, or lied: it rests, each time for twice as long. */
  failed(provider: JsonRpc, error: unknown, now: Date): void {
    const standing = this.#standingOf(provider);
    if (standing === undefined) return;
    const asked = error instanceof ProviderError ? (error.retryAfterSeconds ?? 0) : 0;
    const backoff = Math.min(2 ** standing.failures, MAX_BACKOFF_SECONDS);
    standing.failures += 1;
    standing.restsUntil = addSeconds(now, Math.max(backoff, Math.min(asked, MAX_RETRY_AFTER_SECONDS)));
  }

  /** Returns how long it takes until a provider can be asked: 0, one can be asked now. */
  secondsUntilNext(now: Date): number {
    const waits = this.#standings.map(({ restsUntil }) =>
      restsUntil === null ? 0 : Math.max(0, (restsUntil.getTime() - now.getTime()) / 1000),
    );
    return Math.min(...waits);
  }

  health(now: Date): Provider[] {
    const heads = this.#standings.flatMap(({ head }) => head ?? []);
    const highest = Math.max(...heads);
    return this.#standings.map((standing) => ({
      name: standing.provider.name,
      ok: isAwake(standing, now) && standing.failures === 0,
      lag: standing.head === null ? null : highest - standing.head,
      ...(performance.now() < standing.provider.without.traces && { lacks: 'traces' as const }),
    }));
  }

  async close(): Promise<void> {
    await Promise.all(this.#standings.map(({ provider }) => provider.close()));
  }

  #standingOf(provider: JsonRpc): Standing | undefined {
    return this.#standings.find((standing) => standing.provider === provider);
  }
}

const isAwake = ({ restsUntil }: Standing, now: Date): boolean => restsUntil === null || restsUntil <= now;
