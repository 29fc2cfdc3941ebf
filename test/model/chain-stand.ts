import type { CoinId } from '../../src/domain/chain/coins.ts';
import type { Harness } from '../support/harness.ts';
import type { MerchantRefunds, LiveMerchant } from '../support/merchant-refunds.ts';
import type { Random } from '../support/random.ts';
import type { RealNetwork } from '../support/real-network.ts';
import type { Shop } from '../support/shop.ts';

/** A real node on which the scripts of many payments run in the same blocks. */
export interface ScriptNode {
  readonly coins: readonly [CoinId, ...CoinId[]];
  /** What a refund asks for. */
  readonly refunded: string;
  /** Units of a coin that one transfer moves. */
  units(random: Random, coin: CoinId): bigint;
  /** Gives the customers of so many scripts money. */
  fund(scripts: number): Promise<void>;
  /** Puts a transfer into the pool. Returns its id. */
  send(to: string, coin: CoinId, units: bigint): Promise<string>;
  /** The same by a contract, whose transaction moves what its branch makes it move; absent: none. */
  sendByContract?(to: string, units: bigint): Promise<string>;
  /** Puts another transaction that spends the same money in its place; to nobody of ours: null. */
  replace(id: string, to: string | null, units: bigint): Promise<string>;
  /** The pool forgets it, or it is never mined. */
  evict(id: string): Promise<void>;
  mine(blocks: number): Promise<void>;
  /**
   * Other blocks take the place of the newest ones, with some of their transfers; the others revert, or what
   * they spend is spent elsewhere.
   */
  reorganise(depth: number, again: readonly string[], lost: readonly string[]): Promise<void>;
  /** Takes what an address has, as its owner or a flush does. */
  empty?(address: string, coin: CoinId): Promise<void>;
  /** A new address of a customer. */
  address(): string;
}

/** Where scripts run. */
export interface Stand {
  readonly harness: Harness;
  readonly shop: Shop;
  readonly real: RealNetwork;
  readonly node: ScriptNode;
  readonly refunds: MerchantRefunds;
  readonly merchant: LiveMerchant;
  /** Whose refunds may look like those of the first. */
  readonly other: LiveMerchant;
  readonly random: Random;
}

/** A transfer as the script says it; what it moves counts where it is alive in the end. */
interface Sent {
  id: string;
  readonly coin: CoinId;
  units: bigint;
  isAlive: boolean;
  /** It, or what replaced it, is mined. */
  isMined: boolean;
}

/** One payment, and what its script sends. */
export interface Script {
  readonly merchant: LiveMerchant;
  readonly payment: string;
  readonly address: string;
  readonly sent: Sent[];
  /** Its own: what is drawn does not depend on which script is faster. */
  readonly random: Random;
}

/** Blocks that make everything final. */
const TO_FINAL = 12;

const DECIMALS: Readonly<Partial<Record<CoinId, number>>> = { USDC: 6, DAI: 18, ETH: 18, BTC: 8 };

/** Units of an amount, by arithmetic of the model's own. */
export function unitsOf(amount: string, coin: CoinId): bigint {
  const decimals = DECIMALS[coin] ?? 0;
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(`${whole}${part.padEnd(decimals, '0').slice(0, decimals)}`);
}

/** Mines until what there is is final, and does the work that follows. */
export async function finish({ node, real, harness }: Stand): Promise<void> {
  await node.mine(TO_FINAL);
  await read(real);
  await harness.work(real.adapters);
}

/** Two polls must agree on what is final. */
export async function read(real: RealNetwork): Promise<void> {
  for (let poll = 0; poll < 3; poll += 1) while (await real.sync());
}
