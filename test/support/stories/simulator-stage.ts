import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import type { Adapters } from '../../../src/domain/adapters.ts';
import type { ChainOf, ChainTransfer } from '../../../src/domain/chain/port.ts';
import { FINAL_DEPTH } from '../evm-stand.ts';
import type { Harness } from '../harness.ts';
import type { Shop } from '../shop.ts';
import type { Stage } from './stage.ts';

const BLOCK_SECONDS = 12;

/** The simulator, as test payments have it. It has no contracts: what one would do is written into it. */
export async function simulatorStage(harness: Harness, shop: Shop): Promise<Stage> {
  const { ctx } = harness;
  let isReverted = false;
  const asReported = (transfer: ChainTransfer): ChainTransfer =>
    isReverted && transfer.droppedAt !== null
      ? { ...transfer, reason: 'reverted', replacedBy: null }
      : transfer;
  const chain: ChainOf = (own) => {
    const simulated = harness.adapters.chain(own);
    return {
      ...simulated,
      async poll(...asked) {
        const page = await simulated.poll(...asked);
        return { ...page, transfers: page.transfers.map(asReported) };
      },
    };
  };
  const adapters: Adapters = { ...harness.adapters, chain };
  const read = async () => {
    while (await syncNetwork(ctx, adapters, 'ethereum'));
    await harness.work(adapters);
  };
  const blocks = async (count: number) => {
    harness.advance(count * BLOCK_SECONDS);
    await read();
  };
  await read();
  const id = await shop.create();
  const send = async (amount: string) => {
    const { address } = await shop.payment(id);
    const sending = { network: 'ethereum', coin: 'USDC', amount, address } as const;
    const [sent] = await shop.chain.send(ctx.db, [sending], ctx.now());
    return sent?.txHash ?? '';
  };
  return {
    async pay(amount) {
      const hash = await send(amount);
      await read();
      return hash;
    },
    async payByContract(amount) {
      const hash = await send(amount);
      await blocks(1);
      return hash;
    },
    block: () => blocks(1),
    pass: (minutes) => blocks((minutes * 60) / BLOCK_SECONDS),
    async reorganise(depth, again, txHash) {
      if (again === 'elsewhere, and final') {
        await shop.chain.replace(txHash, ctx.now());
        return blocks(FINAL_DEPTH + 1);
      }
      await shop.chain.reorganise('ethereum', depth, ctx.now());
      if (again === 'in the same page') return blocks(1);
      if (typeof again === 'object' && 'blocksBelowHead' in again) return blocks(1 + again.blocksBelowHead);
      if (typeof again === 'object') {
        await ctx.db('sim_transfers').where({ tx_hash: txHash }).update({ amount: again.amount });
        return blocks(1);
      }
      await read();
      if (again === 'later') return;
      isReverted = again === 'reverted';
      await shop.chain.replace(txHash, ctx.now());
      return read();
    },
    async replace(txHash, by) {
      const isSame = by === 'the same money';
      const { chain: own } = shop;
      const replaced = await (isSame ? own.speedUp(txHash, ctx.now()) : own.replace(txHash, ctx.now()));
      await (isSame ? read() : blocks(FINAL_DEPTH + 1));
      return replaced?.replacedBy ?? '';
    },
    events: () => shop.events(id),
  };
}
