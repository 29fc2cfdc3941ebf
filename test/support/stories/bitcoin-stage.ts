import { newAddress, type BuiltTransaction } from '../bitcoin-blocks.ts';
import type { BitcoinStand } from '../bitcoin-stand.ts';
import { FINAL_DEPTH } from '../evm-stand.ts';
import type { Harness } from '../harness.ts';
import type { RealNetwork } from '../real-network.ts';
import type { Shop } from '../shop.ts';
import type { Stage } from './stage.ts';

/** As on the other stages: the stories are of so many blocks, and last an hour. */
const BLOCK_SECONDS = 12;
/** Of a transaction that takes the place of another. */
const HIGHER_FEE = 60_000n;

const satoshi = (amount: string) => BigInt(Math.round(Number(amount) * 1e8));

export interface BitcoinStage extends Stage {
  /** A block after so long, without what waits in the pool. */
  leaveUnmined(minutes: number): Promise<void>;
}

/** A node of Bitcoin, as live payments have it. It has no contracts: nothing is paid by one. */
export async function bitcoinStage(
  harness: Harness,
  shop: Shop,
  real: RealNetwork,
  stand: BitcoinStand,
): Promise<BitcoinStage> {
  stand.blockSeconds = BLOCK_SECONDS;
  const sent = new Map<string, BuiltTransaction>();
  const known = (hash: string): BuiltTransaction => {
    const built = sent.get(hash);
    if (built === undefined) throw new Error(`${hash} was not sent`);
    return built;
  };
  const read = async () => {
    while (await real.sync());
    // Two polls must agree on what is final.
    await real.sync();
    await harness.work(real.adapters);
  };
  /** Blocks whose last one has the service's time, and whose first one has some transactions. */
  const blocks = async (count: number, first?: readonly BuiltTransaction[]) => {
    harness.advance(count * BLOCK_SECONDS);
    const now = harness.ctx.now().getTime() / 1_000;
    for (let left = count - 1; left >= 0; left -= 1) {
      const own = left === count - 1 ? first : undefined;
      await stand.mine({ time: now - left * BLOCK_SECONDS, ...(own && { transactions: own }) });
    }
    await read();
  };
  await blocks(1);
  const id = await real.create({ pay_amount: '10.50' });
  const address = (await shop.payment(id)).address ?? '';
  /** Pays somebody else with the coins of a transaction. */
  const other = (hash: string) => stand.build([[newAddress(), 5_000n]], known(hash).spends, HIGHER_FEE);
  const remember = (built: BuiltTransaction) => {
    sent.set(built.id, built);
    return built.id;
  };
  return {
    async pay(amount) {
      const built = await stand.pay([address, satoshi(amount)]);
      await read();
      return remember(built);
    },
    payByContract: () => Promise.reject(new Error('there are no contracts on Bitcoin')),
    block: () => blocks(1),
    pass: (minutes) => blocks((minutes * 60) / BLOCK_SECONDS),
    async reorganise(depth, again, txHash) {
      // What was mined waits in the pool again.
      await stand.invalidate(depth);
      const isBelow = typeof again === 'object' && 'blocksBelowHead' in again;
      const at = isBelow ? depth - again.blocksBelowHead : depth;
      for (let mined = 0; mined < depth; mined += 1)
        await stand.mine({ transactions: mined === at ? [known(txHash)] : [] });
      if (again === 'elsewhere') return blocks(1, [other(txHash)]);
      if (again === 'elsewhere, and final') return blocks(FINAL_DEPTH + 1, [other(txHash)]);
      return blocks(1, again === 'later' || isBelow ? [] : [known(txHash)]);
    },
    async replace(txHash, by) {
      if (by === 'another payment') {
        const built = other(txHash);
        await blocks(FINAL_DEPTH + 1, [built]);
        return remember(built);
      }
      const { amount_received: amount } = await shop.payment(id);
      const same = await stand.replace(known(txHash), [address, satoshi(amount)]);
      await read();
      return remember(same);
    },
    async leaveUnmined(minutes) {
      harness.advance(minutes * 60);
      await stand.mine({ time: harness.ctx.now().getTime() / 1_000, transactions: [] });
      await read();
    },
    events: () => shop.events(id),
  };
}
