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
  Watch,
} from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { Providers } from '../rpc/providers.ts';
import { isOfTransaction, isUnable, NO_PROVIDER, Questions } from '../rpc/questions.ts';
import { Poller, type Asked } from '../scan/poll.ts';
import { waitingForOthers, type Quorum } from '../scan/quorum.ts';
import type { Progress } from '../scan/read-branch.ts';
import { hasSpent, readBalances, readReceived, type Auditor } from './balances.ts';
import { TokenCheck } from './calls/decimals.ts';
import { MAX_RANGE } from './catch-up.ts';
import type { EvmOptions } from './evm-options.ts';
import { findTransaction } from './look-up.ts';
import { headerAt, type Reader } from './read.ts';
import { begin, checkChain, scan } from './scan.ts';
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
  readonly #poller: Poller;
  readonly #agreed: Quorum['agreed'] = { hash: null };
  /** The head whose checkpoints are known, and what is safe and final with it. */
  #settled: { head: string; safe: number } | null = null;

  constructor(options: EvmOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#coins = new Coins(options.network, options.contractOf);
    this.#providers = new Providers(options.urls, options.limits);
    this.#questions = new Questions(this.#providers, (provider) => checkChain(provider, options.chainId));
    const tokens = new TokenCheck(this.#coins, this.#providers, this.#questions);
    this.#poller = new Poller({
      network: options.network,
      providers: this.#providers,
      questions: this.#questions,
      check: (provider, now) => tokens.check(provider, now),
      begin: (provider) => begin(provider, options.finality),
      read: (asked, progress) => this.#read(asked, progress),
      safeHeight: (tip) => (this.#settled?.head === tip ? this.#settled.safe : 0),
    });
  }

  /** See ChainClient. */
  async poll(_network: NetworkId, cursor: string | null, watch: Watch, now: Date): Promise<ChainPage> {
    return this.#poller.poll(cursor, watch, now);
  }

  /** See ChainClient. */
  async find(_network: NetworkId, txHash: string): Promise<Outcome> {
    const known = { finalHeight: this.#poller.final?.height ?? -1, now: this.#clock() };
    const look = (provider: JsonRpc) => findTransaction({ provider, coins: this.#coins }, txHash, known);
    return this.#questions.ask(look, known.now, isOfTransaction);
  }

  /** See ChainClient. */
  async balances(
    _network: NetworkId,
    asked: readonly Holding[],
    notAfter: Date | null,
  ): Promise<Balances | null> {
    return this.#auditIfAble((auditor) => readBalances(auditor, asked, notAfter));
  }

  /**
   * Returns whether an account has spent a number by the final block of the last poll: what else has that
   * number is never mined. Null: no provider can prove it.
   */
  async hasSpent(number: NonNullable<Outcome['number']>): Promise<boolean | null> {
    return this.#auditIfAble((auditor) => hasSpent(auditor, number));
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

  async #read({ provider, watch, now }: Asked, progress: Progress): Promise<ChainPage['next']> {
    const { chainId, finality, hasTraces = false, hasSightings = true } = this.#options;
    const { largeOf = NONE_LARGE, pageMs = PAGE_MS } = this.#options;
    const reader: Reader = { provider, coins: this.#coins, watch, hasTraces };
    const quorum = {
      needed: largeOf,
      agrees: (block: BlockOfTransfer) => this.#agrees(provider, block, now),
      agreed: this.#agreed,
    };
    const settledHead = this.#settled?.head ?? null;
    const options = { ...reader, chainId, finality, pageMs, range: this.#range, settledHead, quorum };
    const { next, checkpoints } = await scan(options, progress);
    const { head } = progress;
    if (head !== null) this.#providers.succeeded(provider, head.height);
    if (head !== null && checkpoints !== null) this.#settled = { head: head.hash, safe: checkpoints.safe };
    if (next === 'head') progress.unsure = await waitingForOthers(progress.branch, quorum);
    if (next === 'head' && hasSightings) await sightPending(reader, progress.branch);
    return next;
  }

  async #auditIfAble<Answer>(question: (auditor: Auditor) => Promise<Answer>): Promise<Answer | null> {
    return this.#audit(question).catch((error: unknown) => {
      if (isUnable(error)) return null;
      throw error;
    });
  }

  async #audit<Answer>(question: (auditor: Auditor) => Promise<Answer>): Promise<Answer> {
    const now = this.#clock();
    const { final } = this.#poller;
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
}

const NONE_LARGE = () => Promise.resolve([]);
