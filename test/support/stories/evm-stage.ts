import { wordOf } from '../anvil.ts';
import { contractOf, FINAL_DEPTH, newAddress, ROUTER_CODE, unitsOf, type EvmStand } from '../evm-stand.ts';
import type { Harness } from '../harness.ts';
import type { RealNetwork } from '../real-network.ts';
import type { Shop } from '../shop.ts';
import type { Stage } from './stage.ts';

const BLOCK_SECONDS = 12;
const HIGHER = { maxFeePerGas: '0x12a05f2000', maxPriorityFeePerGas: '0x12a05f200' };

/** A node of an EVM network, as live payments have it. */
export async function evmStage(
  harness: Harness,
  shop: Shop,
  real: RealNetwork,
  stand: EvmStand,
): Promise<Stage> {
  const from = stand.account();
  const { network } = stand;
  const one = unitsOf('USDC', 1, network);
  const units = (amount: string) => (BigInt(Math.round(Number(amount) * 100)) * one) / 100n;
  const read = async () => {
    while (await real.sync());
    // Two polls must agree on what is final.
    await real.sync();
    await harness.work(real.adapters);
  };
  /** Blocks of this chain, whose last one has the service's time. */
  const mine = async (blocks: number) => {
    harness.advance(blocks * BLOCK_SECONDS);
    // A second less than they take, so that the last one is above them in time too.
    if (blocks > 1) await stand.rpc('anvil_mine', wordOf(BigInt(blocks - 1)), wordOf(11n));
    await stand.rpc('evm_setNextBlockTimestamp', harness.ctx.now().getTime() / 1_000);
    await stand.mine();
  };
  const blocks = async (count: number) => {
    await mine(count);
    await read();
  };
  await blocks(1);
  const id = await real.create();
  const address = (await shop.payment(id)).address ?? '';
  const router = await stand.deploy(ROUTER_CODE);
  const setAmount = (amount: string) =>
    stand.rpc('anvil_setStorageAt', router, wordOf(0n), wordOf(units(amount)));
  /** Pays somebody else with the number of a transaction. */
  const payOther = async (nonce: string) => stand.pay('USDC', newAddress(), one, { from, nonce, ...HIGHER });
  return {
    async pay(amount) {
      const hash = await stand.pay('USDC', address, units(amount), { from });
      await read();
      return hash;
    },
    async payByContract(amount) {
      await setAmount(amount);
      const words = [contractOf('USDC', network), address].map((value) => wordOf(value).slice(2));
      const hash = await stand.call(router, `0x${words.join('')}`, { from });
      await blocks(1);
      return hash;
    },
    block: () => blocks(1),
    pass: (minutes) => blocks((minutes * 60) / BLOCK_SECONDS),
    async reorganise(depth, again, txHash) {
      const { nonce } = await stand.rpc<{ nonce: string }>('eth_getTransactionByHash', txHash);
      const raw = await stand.rawOf(txHash);
      const sendAgain = () => stand.rpc('eth_sendRawTransaction', raw);
      if (typeof again === 'object' && 'blocksBelowHead' in again) {
        await stand.reorganise(depth, [[raw, depth - again.blocksBelowHead]]);
        return blocks(1);
      }
      await stand.reorganise(depth);
      if (again === 'later') {
        await blocks(1);
        await sendAgain();
        return;
      }
      if (again === 'elsewhere' || again === 'elsewhere, and final') await payOther(nonce);
      else await sendAgain();
      if (again === 'reverted') await setAmount('0');
      if (typeof again === 'object') await setAmount(again.amount);
      return blocks(again === 'elsewhere, and final' ? FINAL_DEPTH + 1 : 1);
    },
    async replace(txHash, by) {
      const { nonce } = await stand.rpc<{ nonce: string }>('eth_getTransactionByHash', txHash);
      if (by === 'another payment') {
        const other = await payOther(nonce);
        await blocks(FINAL_DEPTH + 1);
        return other;
      }
      const { amount_received: amount } = await shop.payment(id);
      const same = await stand.pay('USDC', address, units(amount), { from, nonce, ...HIGHER });
      await read();
      return same;
    },
    events: () => shop.events(id),
  };
}
