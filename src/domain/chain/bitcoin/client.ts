import type { Clock } from '../../../platform/clock.ts';
import type { NetworkId } from '../networks.ts';
import type { BlockOfTransfer, ChainClient, ChainPage, Outcome, Watch } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { Providers } from '../rpc/providers.ts';
import { isFault, isOfTransaction, Questions } from '../rpc/questions.ts';
import { Poller, type Asked } from '../scan/poll.ts';
import { waitingForOthers, type Quorum } from '../scan/quorum.ts';
import type { Progress } from '../scan/read-branch.ts';
import { Esplora } from './esplora.ts';
import { findTransaction } from './look-up.ts';
import { checkChain, hashAt, type Node } from './node.ts';
import { CHAINS, type BitcoinOptions, type ChainTraits } from './options.ts';
import { Pool } from './pool.ts';
import { begin, scan } from './scan.ts';

const PAGE_MS = 10_000;
const NONE_LARGE = () => Promise.resolve([]);

/** A client of Bitcoin: it reads blocks from nodes, and believes what their hashes and work prove. */
export class BitcoinClient implements ChainClient {
  readonly #options: BitcoinOptions;
  readonly #clock: Clock;
  readonly #traits: ChainTraits;
  readonly #providers: Providers;
  readonly #questions: Questions;
  readonly #esplora: readonly Esplora[];
  readonly #poller: Poller;
  readonly #pool = new Pool();
  readonly #agreed: Quorum['agreed'] = { hash: null };

  constructor(options: BitcoinOptions, clock: Clock) {
    const { network, urls, esplora, chain, depth, limits } = options;
    this.#options = options;
    this.#clock = clock;
    const traits = CHAINS[chain];
    this.#traits = traits;
    this.#providers = new Providers(urls, limits);
    this.#questions = new Questions(this.#providers, (provider) => checkChain({ provider, traits }));
    this.#esplora = esplora.map((url, i) => new Esplora(url, urls.length + i + 1, limits));
    this.#poller = new Poller({
      network,
      providers: this.#providers,
      questions: this.#questions,
      check: (provider) => this.#questions.check(provider),
      begin: (provider) => begin({ provider, traits }, depth),
      read: (asked, progress) => this.#read(asked, progress),
    });
  }

  /** See ChainClient. */
  async poll(_network: NetworkId, cursor: string | null, watch: Watch, now: Date): Promise<ChainPage> {
    const page = await this.#poller.poll(cursor, watch, now);
    return { ...page, providers: [...page.providers, ...this.#esplora.map(({ health }) => health)] };
  }

  /** See ChainClient. A node without an index of transactions knows those alone that wait in its pool. */
  async find(network: NetworkId, txHash: string): Promise<Outcome> {
    const known = { network, finalHeight: this.#poller.final?.height ?? -1, now: this.#clock() };
    const look = (provider: JsonRpc) => findTransaction({ provider, traits: this.#traits }, txHash, known);
    return this.#questions.ask(look, known.now, isOfTransaction);
  }

  /** Asks the first node that answers. Throws what the last one said. */
  async ask<Answer>(question: (node: Node) => Promise<Answer>): Promise<Answer> {
    const traits = this.#traits;
    return this.#questions.ask((provider) => question({ provider, traits }), this.#clock());
  }

  async close(): Promise<void> {
    await Promise.all([this.#providers, ...this.#esplora].map((one) => one.close()));
  }

  async #read({ provider, watch, now }: Asked, progress: Progress): Promise<ChainPage['next']> {
    const { network, depth, largeOf = NONE_LARGE, pageMs = PAGE_MS } = this.#options;
    const matching = { network, traits: this.#traits, watch };
    const quorum = {
      needed: largeOf,
      agrees: (block: BlockOfTransfer) => this.#agrees(provider, block, now),
      agreed: this.#agreed,
    };
    const next = await scan({ ...matching, provider, depth, quorum, pageMs, now }, progress);
    if (progress.head !== null) this.#providers.succeeded(provider, progress.head.height);
    if (next !== 'head') return next;
    progress.unsure = await waitingForOthers(progress.branch, quorum);
    await this.#pool.sight(provider, matching, progress.branch);
    return next;
  }

  /** See Quorum. The hash of a block commits to all that is below it: whoever has it has the transfers. */
  async #agrees(provider: JsonRpc, { height, hash }: BlockOfTransfer, now: Date): Promise<boolean | null> {
    const esplora = this.#esplora.filter(({ host }) => host !== provider.host);
    const nodes = this.#questions.others(provider, (other) => hashAt(other, height), now);
    let said = this.#providers.others(provider, now).length + esplora.length === 0 ? false : null;
    for (const one of esplora) {
      const other = await one.hashAt(height).catch((error: unknown) => {
        if (!isFault(error)) throw error;
        return null;
      });
      if (other === hash) return true;
      if (other !== null) said = false;
    }
    for await (const other of nodes) {
      if (other === hash) return true;
      if (other !== null) said = false;
    }
    return said;
  }
}
