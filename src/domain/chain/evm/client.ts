import type { Clock } from '../../../platform/clock.ts';
import type { NetworkId } from '../networks.ts';
import type { Balance, ChainClient, ChainPage, Outcome, Wait, Watch } from '../port.ts';
import { Branch } from './branch.ts';
import { MAX_RANGE } from './catch-up.ts';
import { readCursor, stateAbove, writeCursor } from './cursor.ts';
import type { EvmOptions } from './evm-options.ts';
import { Refused } from './proofs/refused.ts';
import { findTransaction, readBalances } from './look-up.ts';
import { checkChain, headerAt, type Reader } from './read.ts';
import type { JsonRpc } from './rpc/json-rpc.ts';
import { ProviderError } from './rpc/provider-error.ts';
import { Providers } from './rpc/providers.ts';
import { begin, scan, type Progress } from './scan.ts';
import { sightPending } from './sightings.ts';
import { Coins } from './transfers.ts';

const PAGE_MS = 10_000;

/** A client of one EVM network: it reads blocks by JSON-RPC, and believes what their hashes prove. */
export class EvmClient implements ChainClient {
  readonly #options: EvmOptions;
  readonly #clock: Clock;
  readonly #coins: Coins;
  readonly #providers: Providers;
  readonly #range = { blocks: MAX_RANGE };
  /** Providers whose chain was checked, since they last failed. */
  readonly #checked = new Set<JsonRpc>();
  /** Providers that know no pending block. */
  readonly #withoutPool = new Set<JsonRpc>();
  /** The head whose checkpoints are known, and what is safe and final with it. */
  #settled: { head: string; safe: number } | null = null;
  #finalHeight = -1;

  constructor(options: EvmOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#coins = new Coins(options.network, options.contractOf);
    this.#providers = new Providers(options.urls, options.limits);
  }

  /** See ChainClient. Where no provider serves the poll, the page says when to ask again. */
  async poll(network: NetworkId, cursor: string | null, watch: Watch, now: Date): Promise<ChainPage> {
    const provider = this.#providers.next(now);
    let progress = cursor === null ? null : await progressFrom(network, cursor, { watch, now });
    if (provider === null) {
      if (progress === null) throw NO_PROVIDER;
      return this.#page(progress, this.#wait(NO_PROVIDER, now), now);
    }
    const { hasTraces = false } = this.#options;
    const reader: Reader = { provider, coins: this.#coins, watch, hasTraces };
    try {
      await this.#check(provider);
      progress ??= await progressFrom(network, writeCursor(await begin(provider, this.#options.finality)), {
        watch,
        now,
      });
      const next = await this.#scan(reader, progress, now);
      if (next === 'head' && this.#options.hasSightings !== false)
        await sightPending(reader, progress.branch, this.#withoutPool);
      progress.branch.giveUp(next === 'head');
      return this.#page(progress, next, now);
    } catch (error) {
      if (!isFault(error)) throw error;
      this.#fail(provider, error, now);
      // Where nothing was read yet there is no head for a page.
      if (progress === null || progress.branch.tip.hash === null) throw error;
      return this.#page(progress, this.#wait(error, now), now);
    }
  }

  /** See ChainClient. */
  async find(_network: NetworkId, txHash: string): Promise<Outcome> {
    const known = { finalHeight: this.#finalHeight, now: this.#clock() };
    return this.#ask((provider) => findTransaction({ provider, coins: this.#coins }, txHash, known));
  }

  /** See ChainClient. */
  async balances(
    _network: NetworkId,
    asked: readonly Pick<Balance, 'address' | 'coin'>[],
    height: number,
  ): Promise<readonly Balance[]> {
    return this.#ask((provider) => readBalances({ provider, coins: this.#coins }, asked, height));
  }

  async close(): Promise<void> {
    await this.#providers.close();
  }

  async #scan(reader: Reader, progress: Progress, now: Date): Promise<ChainPage['next']> {
    const { chainId, finality, largeOf = NONE_LARGE, pageMs = PAGE_MS } = this.#options;
    const { provider } = reader;
    const next = await scan(
      {
        ...reader,
        chainId,
        finality,
        pageMs,
        range: this.#range,
        settledHead: this.#settled?.head ?? null,
        quorum: { needed: largeOf, agrees: (block) => this.#agrees(provider, block, now) },
      },
      progress,
    );
    const { head, checkpoints } = progress;
    if (head !== null) this.#providers.succeeded(provider, head.height);
    if (head !== null && checkpoints !== null) this.#settled = { head: head.hash, safe: checkpoints.safe };
    return next;
  }

  async #check(provider: JsonRpc): Promise<void> {
    if (this.#checked.has(provider)) return;
    await checkChain(provider, this.#options.chainId);
    this.#checked.add(provider);
  }

  /** True when another host's provider has the block. One that fails says nothing. */
  async #agrees(
    provider: JsonRpc,
    { height, hash }: { height: number; hash: string },
    now: Date,
  ): Promise<boolean> {
    for (const other of this.#providers.others(provider, now)) {
      try {
        await this.#check(other);
        if ((await headerAt(other, height))?.hash === hash) return true;
      } catch (error) {
        if (!isFault(error)) throw error;
      }
    }
    return false;
  }

  /** Returns what the first provider answers that answers at all. */
  async #ask<Answer>(question: (provider: JsonRpc) => Promise<Answer>): Promise<Answer> {
    const now = this.#clock();
    let last: unknown = NO_PROVIDER;
    for (const _ of this.#options.urls) {
      const provider = this.#providers.next(now);
      if (provider === null) break;
      try {
        await this.#check(provider);
        return await question(provider);
      } catch (error) {
        if (!isFault(error)) throw error;
        this.#fail(provider, error, now);
        last = error;
      }
    }
    throw last;
  }

  #fail(provider: JsonRpc, error: ProviderError | Refused, now: Date): void {
    this.#checked.delete(provider);
    this.#providers.failed(provider, error, now);
  }

  #page({ branch }: Progress, next: ChainPage['next'], now: Date): ChainPage {
    const { final, tip } = branch;
    if (tip.hash === null) throw NO_PROVIDER;
    this.#finalHeight = final.height;
    const safe = this.#settled?.head === tip.hash ? this.#settled.safe : 0;
    return {
      head: { ...tip, hash: tip.hash },
      finalHeight: final.height,
      safeHeight: Math.max(final.height, Math.min(safe, tip.height)),
      transfers: branch.changes(),
      cursor: writeCursor(branch.state()),
      // A block of a branch that turns out to be none may name any time: no deadline passes early by it.
      scannedUntil: tip.time < now ? tip.time : now,
      next,
      providers: this.#providers.health(now),
    };
  }

  #wait(error: ProviderError | Refused, now: Date): Wait {
    return {
      waitSeconds: Math.max(1, Math.ceil(this.#providers.secondsUntilNext(now))),
      why: error instanceof Refused ? 'inconsistent' : 'behind',
    };
  }
}

const NONE_LARGE = () => Promise.resolve([]);

const NO_PROVIDER = new ProviderError('unreachable', 'no provider of the network can be asked now');

const isFault = (error: unknown): error is ProviderError | Refused =>
  error instanceof ProviderError || error instanceof Refused;

async function progressFrom(
  network: NetworkId,
  cursor: string,
  { watch, now }: { watch: Watch; now: Date },
): Promise<Progress> {
  const known = readCursor(cursor);
  const state = typeof known === 'number' ? stateAbove(known, await watch.standing(network, known)) : known;
  return { branch: new Branch(network, state, now), head: null, checkpoints: null };
}
