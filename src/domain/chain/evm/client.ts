import type { Clock } from '../../../platform/clock.ts';
import type { NetworkId } from '../networks.ts';
import type {
  Balances,
  BlockOfTransfer,
  ChainClient,
  ChainPage,
  ChainTransfer,
  Holding,
  Outcome,
  Wait,
  Watch,
} from '../port.ts';
import { readBalances, readReceived, type Auditor } from './balances.ts';
import { MAX_RANGE } from './catch-up.ts';
import { writeCursor } from './cursor.ts';
import type { EvmOptions } from './evm-options.ts';
import { Refused } from './proofs/refused.ts';
import { findTransaction } from './look-up.ts';
import { headerAt, type Reader } from './read.ts';
import type { JsonRpc } from './rpc/json-rpc.ts';
import type { ProviderError } from './rpc/provider-error.ts';
import { Providers } from './rpc/providers.ts';
import { isFault, isOfTransaction, isUnable, NO_PROVIDER, Questions } from './rpc/questions.ts';
import { begin, progressFrom, scan, type Progress } from './scan.ts';
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
  readonly #questions: Questions;
  /** The head whose checkpoints are known, and what is safe and final with it. */
  #settled: { head: string; safe: number } | null = null;
  /** That with which the last poll began: what it has, the service has stored. */
  #final: BlockOfTransfer | null = null;

  constructor(options: EvmOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#coins = new Coins(options.network, options.contractOf);
    this.#providers = new Providers(options.urls, options.limits);
    this.#questions = new Questions(this.#providers, options.chainId);
  }

  /** See ChainClient. Where no provider serves the poll, the page says when to ask again. */
  async poll(network: NetworkId, cursor: string | null, watch: Watch, now: Date): Promise<ChainPage> {
    const provider = this.#providers.next(now);
    let progress = cursor === null ? null : await this.#progressFrom(network, cursor, { watch, now });
    if (provider === null) {
      if (progress === null) throw NO_PROVIDER;
      return this.#page(progress, this.#wait(NO_PROVIDER, now), now);
    }
    const { hasTraces = false, finality } = this.#options;
    const reader: Reader = { provider, coins: this.#coins, watch, hasTraces };
    try {
      await this.#questions.check(provider);
      progress ??= await this.#progressFrom(network, await begin(provider, finality), { watch, now });
      const next = await this.#scan(reader, progress, now);
      if (next === 'head' && this.#options.hasSightings !== false)
        await sightPending(reader, progress.branch);
      progress.branch.giveUp(next === 'head');
      return this.#page(progress, next, now);
    } catch (error) {
      if (!isFault(error)) throw error;
      this.#questions.fail(provider, error, now);
      // Where nothing was read yet there is no head for a page.
      if (progress === null || progress.branch.tip.hash === null) throw error;
      return this.#page(progress, this.#wait(error, now), now);
    }
  }

  /** See ChainClient. */
  async find(_network: NetworkId, txHash: string): Promise<Outcome> {
    const known = { finalHeight: this.#final?.height ?? -1, now: this.#clock() };
    const look = (provider: JsonRpc) => findTransaction({ provider, coins: this.#coins }, txHash, known);
    return this.#questions.ask(look, known.now, isOfTransaction);
  }

  /** See ChainClient. */
  async balances(
    _network: NetworkId,
    asked: readonly Holding[],
    notAfter: Date | null,
  ): Promise<Balances | null> {
    return this.#audit((auditor) => readBalances(auditor, asked, notAfter)).catch((error: unknown) => {
      if (isUnable(error)) return null;
      throw error;
    });
  }

  /** See ChainClient. */
  async received(_network: NetworkId, holding: Holding, since: Date): Promise<readonly ChainTransfer[]> {
    return this.#audit((auditor) => readReceived(auditor, holding, since));
  }

  /** Returns what a contract answers in the newest block: a provider's word. */
  async call(to: string, data: string): Promise<unknown> {
    return this.#questions.ask(
      (provider) => provider.call('eth_call', { to, data }, 'latest'),
      this.#clock(),
    );
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

  async #audit<Answer>(question: (auditor: Auditor) => Promise<Answer>): Promise<Answer> {
    const now = this.#clock();
    const final = this.#final;
    if (final === null) throw NO_PROVIDER;
    const { largeOf = NONE_LARGE } = this.#options;
    return this.#questions.ask(
      (provider) =>
        question({
          provider,
          coins: this.#coins,
          final,
          largeOf,
          range: this.#range,
          others: (ask) => this.#questions.others(provider, ask, now),
        }),
      now,
    );
  }

  /** See Quorum. */
  async #agrees(provider: JsonRpc, { height, hash }: BlockOfTransfer, now: Date): Promise<boolean | null> {
    let said: boolean | null = this.#providers.others(provider, now).length === 0 ? false : null;
    for await (const header of this.#questions.others(provider, (other) => headerAt(other, height), now)) {
      if (header?.hash === hash) return true;
      said = false;
    }
    return said;
  }

  async #progressFrom(...from: Parameters<typeof progressFrom>): Promise<Progress> {
    const progress = await progressFrom(...from);
    const { final } = progress.branch;
    if (final.hash !== null) this.#final = { ...final, hash: final.hash };
    return progress;
  }

  #page({ branch }: Progress, next: ChainPage['next'], now: Date): ChainPage {
    const { final, tip } = branch;
    if (tip.hash === null) throw NO_PROVIDER;
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
