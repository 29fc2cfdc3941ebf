import { BitcoinClient } from '../../src/domain/chain/bitcoin/client.ts';
import type { BitcoinOptions } from '../../src/domain/chain/bitcoin/options.ts';
import {
  buildBlock,
  buildTransaction,
  OPEN_SCRIPT,
  remember,
  scriptOf,
  type BuiltTransaction,
  type Coin,
} from './bitcoin-blocks.ts';
import { findBtcd, NEEDS_BTCD, startBtcd, type Btcd } from './btcd.ts';
import { Follower } from './follower.ts';

/** So many blocks, its own included, make a block final here. */
export const DEPTH = 3;
/** The coins of all but the last hundred can be spent at once. */
const SETUP_BLOCKS = 300;
/** A node whose newest block is a day old keeps mined transactions in its pool. */
const BEGUN_SECONDS_AGO = 20 * 3_600;
const FEE = 10_000n;
const HALVING = 150;

/** An address and satoshi; a script instead of an address. */
export type Pay = readonly [to: string | Buffer, satoshi: bigint];

/** What a block is mined with. */
export interface Mining {
  /** Default: all that waits in the pool and was sent here. */
  readonly transactions?: readonly BuiltTransaction[];
  /** Default: the newest block. */
  readonly parent?: string;
  /** Seconds. Default: some time after the block before. */
  readonly time?: number;
  /** Whom the new coins go to. */
  readonly rewards?: readonly Pay[];
}

/** A node with blocks of which there are coins to spend, which mines when it is told to. */
export class BitcoinStand {
  readonly btcd: Btcd;
  /** Between two blocks, where nothing else is said. */
  blockSeconds = 60;
  #coins: Coin[] = [];
  readonly #sent: BuiltTransaction[] = [];
  readonly #blocks = new Map<string, { height: number; time: number }>();

  constructor(btcd: Btcd) {
    this.btcd = btcd;
  }

  rpc<Result = unknown>(method: string, ...params: readonly unknown[]): Promise<Result> {
    return this.btcd.rpc<Result>(method, params);
  }

  height(): Promise<number> {
    return this.rpc('getblockcount');
  }

  /** The time of the newest block, in seconds. */
  async time(): Promise<number> {
    return this.#blocks.get(await this.rpc<string>('getbestblockhash'))?.time ?? 0;
  }

  /** Mines the first blocks. */
  async begin(): Promise<void> {
    const parent = await this.rpc<string>('getblockhash', 0);
    this.#blocks.set(parent, { height: 0, time: Math.floor(Date.now() / 1_000) - BEGUN_SECONDS_AGO });
    const rewards: Coin[] = [];
    for (let blocks = 0; blocks < SETUP_BLOCKS; blocks += 1) {
      const { coinbase } = await this.mine({ transactions: [] });
      rewards.push(...coinbase.coins.slice(0, 1));
    }
    this.#coins = rewards.slice(0, SETUP_BLOCKS - 100);
  }

  /** Mines one block, and returns it. */
  async mine({ transactions, parent, time, rewards }: Mining = {}) {
    const before = parent ?? (await this.rpc<string>('getbestblockhash'));
    const known = this.#blocks.get(before);
    if (known === undefined) throw new Error(`block ${before} was not mined here`);
    const height = known.height + 1;
    const subsidy = 5_000_000_000n >> BigInt(Math.floor(height / HALVING));
    const block = buildBlock({
      parent: before,
      height,
      time: time ?? known.time + this.blockSeconds,
      transactions: (transactions ?? (await this.#pooled())).map(({ hex }) => hex),
      rewards: (rewards ?? [[OPEN_SCRIPT, subsidy]]).map(outputOf),
    });
    const refused = await this.rpc<string | null>('submitblock', block.hex);
    if (refused !== null) throw new Error(refused);
    this.#blocks.set(block.hash, { height, time: time ?? known.time + this.blockSeconds });
    return { ...block, height };
  }

  async mineAll(blocks: number): Promise<void> {
    for (let mined = 0; mined < blocks; mined += 1) await this.mine();
  }

  /** Replaces the newest blocks by others, one more than they are; `first` is in the first of these. */
  async reorganise(depth: number, first: readonly BuiltTransaction[] = []): Promise<void> {
    await this.invalidate(depth);
    for (let mined = 0; mined <= depth; mined += 1)
      await this.mine({ transactions: mined === 0 ? first : [] });
  }

  /** Takes the newest blocks back. Returns the hash of the lowest of them. */
  async invalidate(depth: number): Promise<string> {
    const hash = await this.rpc<string>('getblockhash', (await this.height()) - depth + 1);
    await this.rpc('invalidateblock', hash);
    return hash;
  }

  /** Takes a coin of which there are many, or makes a transaction of given ones; it is not sent yet. */
  build(pays: readonly Pay[], spends: readonly Coin[] = [this.coin()], fee = FEE): BuiltTransaction {
    const outputs = pays.map(outputOf);
    const change = [...spends].reduce((sum, { satoshi }) => sum + satoshi, 0n) - fee;
    const rest = outputs.reduce((left, { satoshi }) => left - satoshi, change);
    const built = buildTransaction(spends, [...outputs, { script: OPEN_SCRIPT, satoshi: rest }]);
    remember(built);
    return built;
  }

  async send(built: BuiltTransaction): Promise<BuiltTransaction> {
    await this.rpc('sendrawtransaction', built.hex);
    if (!this.#sent.includes(built)) this.#sent.push(built);
    return built;
  }

  async pay(...pays: readonly Pay[]): Promise<BuiltTransaction> {
    return this.send(this.build(pays));
  }

  /** Sends another transaction with the same inputs, and a higher fee. */
  async replace(before: BuiltTransaction, ...pays: readonly Pay[]): Promise<BuiltTransaction> {
    return this.send(this.build(pays, before.spends, 5n * FEE));
  }

  coin(): Coin {
    const coin = this.#coins.shift();
    if (coin === undefined) throw new Error('there are no coins left');
    return coin;
  }

  /** Returns a client of this node, or of what stands in front of it, and who follows it. */
  follow(own: readonly string[], options: Partial<BitcoinOptions> = {}): Follower<BitcoinClient> {
    return new Follower(this.client(options), own, 'bitcoin');
  }

  client(options: Partial<BitcoinOptions> = {}, now = () => new Date()): BitcoinClient {
    return new BitcoinClient({ ...OPTIONS, urls: [this.btcd.url], ...options }, now);
  }

  async #pooled(): Promise<BuiltTransaction[]> {
    const waiting = new Set(await this.rpc<string[]>('getrawmempool'));
    return this.#sent.filter(({ id }) => waiting.has(id));
  }
}

const OPTIONS = { network: 'bitcoin', chain: 'regtest', esplora: [], depth: DEPTH } as const;

const outputOf = ([to, satoshi]: Pay) => ({ script: typeof to === 'string' ? scriptOf(to) : to, satoshi });

/** Starts a node before the tests of a suite, and ends it behind them; without a binary they are pending. */
export function useBitcoinStand(): () => BitcoinStand {
  const binary = findBtcd();
  let stand: BitcoinStand | undefined;
  if (binary === null) it(NEEDS_BTCD);
  before(async function () {
    if (binary === null) this.skip();
    stand = new BitcoinStand(await startBtcd(binary));
    await stand.begin();
  });
  after(() => stand?.btcd.close());
  return () => {
    if (stand === undefined) throw new Error('the node was not started');
    return stand;
  };
}
