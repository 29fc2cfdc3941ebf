import type { CoinId } from '../../src/domain/chain/coins.ts';
import { forAll } from '../support/for-all.ts';
import { randomFrom } from '../support/random.ts';
import { playRefunds, type ModelRefund } from './chain-refunds.ts';
import { finish, read, type Script, type Stand } from './chain-stand.ts';

/** What the model expects of a payment's money: units by coin. */
export type Expected = Map<string, Map<CoinId, bigint>>;

/**
 * Plays as many scripts at once: transfers that are unmined, mined, evicted, replaced, reorganised away,
 * mined again, reverted and final, and refunds. Adds what must be in the ledger to `expected`, and the
 * refunds.
 */
export async function playBatch(
  stand: Stand,
  count: number,
  { expected, refunds }: { expected: Expected; refunds: ModelRefund[] },
): Promise<void> {
  const { node, random, real } = stand;
  await node.fund(count);
  const scripts = await createScripts(stand, count);
  await forAll(scripts, async (script) => {
    if (script.random.chance(0.1)) return;
    for (let transfers = 1 + script.random.below(3); transfers > 0; transfers -= 1)
      await (script.random.chance(0.05) ? sendByContract(stand, script) : send(stand, script));
  });
  await read(real);
  await forAll(scripts, (script) => meetFate(stand, script));
  await read(real);
  await node.mine(1);
  await read(real);
  const topped = scripts.filter((script) => script.random.chance(0.3));
  await forAll(topped, (script) => send(stand, script));
  await node.mine(1);
  await read(real);
  if (random.chance(0.7)) await reorganise(stand, scripts, topped);
  await finish(stand);
  refunds.push(...(await playRefunds(stand, scripts)));
  await forAll(scripts, async ({ address, random: own }) => {
    if (node.empty === undefined || !own.chance(0.2)) return;
    for (const coin of new Set(node.coins)) await node.empty(address, coin);
  });
  await finish(stand);
  for (const { payment, sent } of scripts) {
    const own = new Map<CoinId, bigint>();
    for (const { coin, units, isAlive } of sent) if (isAlive) own.set(coin, (own.get(coin) ?? 0n) + units);
    expected.set(payment, own);
  }
}

async function createScripts(stand: Stand, count: number): Promise<Script[]> {
  const { real, shop, random } = stand;
  const seeds = Array.from({ length: count }, () => random.below(2 ** 32));
  return forAll(seeds, async (seed) => {
    const own = randomFrom(seed);
    const merchant = own.chance(0.1) ? stand.other : stand.merchant;
    const payment = await real.create({}, merchant);
    const { address } = await shop.payment(payment);
    return { merchant, payment, address: address ?? '', sent: [], random: own };
  });
}

async function send({ node }: Stand, { address, sent, random }: Script): Promise<void> {
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
  const { node } = stand;
  const [coin] = node.coins;
  if (node.sendByContract === undefined) return send(stand, script);
  const units = node.units(script.random, coin);
  const id = await node.sendByContract(script.address, units);
  script.sent.push({ id, coin, units, isAlive: true, isMined: true });
}

/** What becomes of the last transfer of a customer while it is in the pool. */
async function meetFate({ node }: Stand, { address, sent, random }: Script): Promise<void> {
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
