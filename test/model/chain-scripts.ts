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
interface Script {
  readonly payment: string;
  readonly address: string;
  readonly sent: Sent[];
}

/** What the model expects of a payment's money: units by coin. */
export type Expected = Map<string, Map<CoinId, bigint>>;

/** Blocks that make everything final. */
const TO_FINAL = 12;

/**
 * Plays as many scripts at once: transfers that are unmined, mined, evicted, replaced, reorganised away,
 * mined again, reverted and final, refunds that wait for a signature, are sent and complete. Adds what must
 * be in the ledger to `expected`.
 */
export async function playBatch(stand: Stand, count: number, expected: Expected): Promise<void> {
  const { node, random, real } = stand;
  await node.fund(count);
  const scripts = await createScripts(stand, count);
  for (const script of scripts.filter(() => !random.chance(0.1)))
    for (let transfers = 1 + random.below(3); transfers > 0; transfers -= 1)
      await (random.chance(0.05) ? sendByContract(stand, script) : send(stand, script));
  await read(real);
  for (const script of scripts) await meetFate(stand, script);
  await read(real);
  await node.mine(1);
  await read(real);
  const topped = scripts.filter(() => random.chance(0.3));
  for (const script of topped) await send(stand, script);
  await node.mine(1);
  await read(real);
  if (random.chance(0.7)) await reorganise(stand, scripts, topped);
  await finish(stand);
  await payRefunds(stand, scripts);
  if (node.empty !== undefined)
    for (const { address } of scripts.filter(() => random.chance(0.2)))
      for (const coin of node.coins) await node.empty(address, coin);
  await finish(stand);
  for (const { payment, sent } of scripts) {
    const own = new Map<CoinId, bigint>();
    for (const { coin, units, isAlive } of sent) if (isAlive) own.set(coin, (own.get(coin) ?? 0n) + units);
    expected.set(payment, own);
  }
}

async function createScripts({ real, shop, merchant }: Stand, count: number): Promise<Script[]> {
  const scripts: Script[] = [];
  while (scripts.length < count) {
    const payment = await real.create({}, merchant);
    const { address } = await shop.payment(payment);
    scripts.push({ payment, address: address ?? '', sent: [] });
  }
  return scripts;
}

async function send({ node, random }: Stand, { address, sent }: Script): Promise<void> {
  const coin = random.of(node.coins);
  const units = node.units(random, coin);
  sent.push({
    id: await node.send(address, coin, units),
    coin,
    units,
    isAlive: true,
    isMined: true,
  });
}

async function sendByContract(stand: Stand, script: Script): Promise<void> {
  const { node, random } = stand;
  const [coin] = node.coins;
  if (node.sendByContract === undefined) return send(stand, script);
  const units = node.units(random, coin);
  const id = await node.sendByContract(script.address, units);
  script.sent.push({ id, coin, units, isAlive: true, isMined: true });
}

/** What becomes of the last transfer of a customer while it is in the pool. */
async function meetFate({ node, random }: Stand, { address, sent }: Script): Promise<void> {
  const last = sent.at(-1);
  const fate = random.below(100);
  if (last === undefined || fate >= 35) return;
  if (fate < 12) {
    await node.evict(last.id);
    last.isAlive = last.isMined = false;
  } else if (fate < 24) {
    last.id = await node.replace(last.id, null, last.units);
    last.isAlive = false;
  } else {
    last.units = node.units(random, last.coin);
    last.id = await node.replace(last.id, address, last.units);
  }
}

/** The newest block is that of the last transfers, and the one before that of all others. */
async function reorganise(
  { node, random, real }: Stand,
  scripts: readonly Script[],
  topped: readonly Script[],
) {
  const depth = 1 + random.below(2);
  const isIn = new Set(topped);
  const again: string[] = [];
  const lost: string[] = [];
  for (const script of scripts) {
    const mined = script.sent.filter(({ isMined }) => isMined);
    const orphaned = depth > 1 ? mined : isIn.has(script) ? mined.slice(-1) : [];
    for (const one of orphaned) {
      const isLost = random.chance(0.3);
      (isLost ? lost : again).push(one.id);
      if (isLost) one.isAlive = false;
    }
  }
  await node.reorganise(depth, again, lost);
  await read(real);
}

/** Refunds of settled payments: paid and final, only announced, or waiting for a signature. */
async function payRefunds({ node, random, real, refunds, merchant }: Stand, scripts: readonly Script[]) {
  for (const { payment, sent } of scripts) {
    if (!random.chance(0.05) || (await real.statusOf(payment)) !== 'SETTLED') continue;
    const [first] = sent;
    if (first === undefined) continue;
    const asked = await refunds
      .ask(merchant, payment, { amount: node.refunded, address: node.address() })
      .catch(() => null);
    if (asked?.coin_amount === undefined || random.chance(0.2)) continue;
    const coin = asked.coin as CoinId;
    const units = unitsOf(asked.coin_amount, coin);
    await node.send(asked.address ?? '', coin, units);
  }
}

const DECIMALS: Readonly<Partial<Record<CoinId, number>>> = { USDC: 6, DAI: 18, ETH: 18, BTC: 8 };

/** Units of an amount, by arithmetic of the model's own. */
export function unitsOf(amount: string, coin: CoinId): bigint {
  const decimals = DECIMALS[coin] ?? 0;
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(`${whole}${part.padEnd(decimals, '0').slice(0, decimals)}`);
}

async function finish({ node, real, harness }: Stand): Promise<void> {
  await node.mine(TO_FINAL);
  await read(real);
  await harness.work(real.adapters);
}

/** Two polls must agree on what is final. */
async function read(real: RealNetwork): Promise<void> {
  for (let poll = 0; poll < 3; poll += 1) while (await real.sync());
}
