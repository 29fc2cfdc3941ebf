import type { CoinId } from '../../src/domain/chain/coins.ts';
import { wordOf } from '../support/anvil.ts';
import { contractOf, newAddress, ROUTER_CODE, type EvmStand } from '../support/evm-stand.ts';
import { forAll } from '../support/for-all.ts';
import type { Harness } from '../support/harness.ts';
import type { ScriptNode } from './chain-stand.ts';

const BLOCK_SECONDS = 12;
const HIGHER = { maxFeePerGas: '0x12a05f2000', maxPriorityFeePerGas: '0x12a05f200' };

interface Transaction {
  readonly from: string;
  readonly coin: CoinId;
  /** The contract that it calls. */
  readonly router?: string;
}

/** Customers on an EVM node. */
export function evmScriptNode(stand: EvmStand, harness: Harness): ScriptNode {
  const known = new Map<string, Transaction>();
  let sends = 0;
  /** An account of its own for each transfer: what becomes of one keeps no other waiting. */
  const nextAccount = (): string => stand.accounts[(sends += 1) % stand.accounts.length] ?? '';
  const sendFrom = async (
    more: Readonly<Record<string, string>> & { from: string },
    [to, coin, units]: readonly [string, CoinId, bigint],
  ) => {
    const hash = coin === 'ETH' ? await stand.send(to, units, more) : await stand.pay(coin, to, units, more);
    known.set(hash, { from: more.from, coin });
    return hash;
  };
  const setAmount = (router: string, units: bigint) =>
    stand.rpc('anvil_setStorageAt', router, wordOf(0n), wordOf(units));
  const nonceOf = async (id: string) =>
    (await stand.rpc<{ nonce: string }>('eth_getTransactionByHash', id)).nonce;
  const replace = async (id: string, to: string | null, units: bigint, nonce?: string) => {
    const { from, coin } = knownOf(id);
    const own = { from, nonce: nonce ?? (await nonceOf(id)), ...HIGHER };
    return sendFrom(own, [to ?? newAddress(), coin, units]);
  };
  const knownOf = (id: string): Transaction => {
    const found = known.get(id);
    if (found === undefined) throw new Error(`${id} was not sent`);
    return found;
  };
  const mine = async (blocks: number) => {
    harness.advance(blocks * BLOCK_SECONDS);
    if (blocks > 1) await stand.rpc('anvil_mine', wordOf(BigInt(blocks - 1)), wordOf(11n));
    // The stand mines as well, and no block is older than the one before.
    const { timestamp } = await stand.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false);
    harness.advance(Math.max(0, Number(timestamp) + 1 - harness.ctx.now().getTime() / 1_000));
    await stand.rpc('evm_setNextBlockTimestamp', harness.ctx.now().getTime() / 1_000);
    await stand.mine();
  };
  return {
    refunded: '0.5',
    coins: ['USDC', 'USDC', 'USDC', 'ETH'],
    units: (random, coin) =>
      coin === 'ETH' ? BigInt(1 + random.below(2 ** 31)) * 1_000_003n : BigInt(1 + random.below(25_000_000)),
    fund: () => Promise.resolve(known.clear()),
    address: newAddress,
    send: (to, coin, units) => sendFrom({ from: nextAccount() }, [to, coin, units]),
    async sendByContract(to, units) {
      const router = await stand.deploy(ROUTER_CODE);
      await setAmount(router, units);
      const words = [contractOf('USDC', stand.network), to].map((value) => wordOf(value).slice(2));
      const from = nextAccount();
      const hash = await stand.call(router, `0x${words.join('')}`, { from });
      known.set(hash, { from, coin: 'USDC', router });
      return hash;
    },
    replace: (id, to, units) => replace(id, to, units),
    evict: async (id) => void (await stand.rpc('anvil_dropTransaction', id)),
    mine,
    async reorganise(depth, again, lost) {
      // The node forgets what it takes out of a block.
      const raws = await forAll([...again, ...lost], (id) => stand.rawOf(id));
      const nonces = await forAll(lost, nonceOf);
      await stand.reorganise(
        depth,
        raws.slice(0, again.length).map((raw) => [raw, 0] as const),
      );
      for (const [i, id] of lost.entries()) {
        const { router } = knownOf(id);
        if (router === undefined) await replace(id, null, 1n, nonces[i]);
        else {
          await setAmount(router, 0n);
          await stand.rpc('eth_sendRawTransaction', raws[again.length + i]);
        }
      }
      await mine(1);
    },
    async empty(address, coin) {
      if (coin === 'ETH') await stand.rpc('anvil_setBalance', address, '0x0');
      else await stand.setBalance(coin, address, 0n);
    },
  };
}
