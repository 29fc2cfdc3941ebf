import { unitsOfMany } from '../../chain/evm/calls/many-balances.ts';
import { readLog } from '../../chain/evm/proofs/receipts.ts';
import { readTransaction } from '../../chain/evm/proofs/transactions.ts';
import { fields, integer, list, quantity } from '../../chain/evm/proofs/values.ts';
import { headerAt } from '../../chain/evm/read.ts';
import { checkChain } from '../../chain/evm/scan.ts';
import { Coins } from '../../chain/evm/transfers.ts';
import type { Holding } from '../../chain/port.ts';
import { realChains } from '../../chain/profile.ts';
import { demand } from '../../chain/rpc/refused.ts';
import type { Context } from '../../../platform/context.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import type { AskedTransaction, Moved, Opening, Witness } from './witness.ts';

/** Opens an EVM network at the last block that is final for the node and for the watcher. */
export async function openEvmWitness(
  { config }: Pick<Context, 'config'>,
  { provider, network, final }: Opening,
): Promise<Witness> {
  const chains = realChains(config);
  const coins = new Coins(network, chains.contractOf);
  await checkChain(provider, chains.chainIdOf(network) ?? 0);
  const named = await headerAt(provider, 'finalized');
  demand(named !== null, `provider ${provider.name} names no final block`);
  const block = named.height <= final ? named : await headerAt(provider, final);
  demand(block !== null, `provider ${provider.name} does not have block ${final}`);
  const contracts = new Map([...coins.tokens].map(([contract, coin]) => [coin, contract]));
  return {
    block,
    async held(holdings) {
      const amounts = new Map<Holding, string>();
      for (const coin of new Set(holdings.map((one) => one.coin))) {
        const own = holdings.filter((one) => one.coin === coin);
        const addresses = own.map(({ address }) => address);
        const units = await unitsOfMany(provider, contracts.get(coin) ?? null, addresses, block.hash);
        own.forEach((holding, i) => {
          const held = units[i] ?? null;
          if (held !== null) amounts.set(holding, coins.amountOf(coin, held));
        });
      }
      return holdings.map((holding) => amounts.get(holding) ?? null);
    },
    async moved(asked) {
      const hashes = [...new Set(asked.map(({ txHash }) => txHash))];
      const receipts = await provider.batch(
        hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
      );
      const natives = [...nativeAmong(asked, coins)];
      const sent = await provider.batch(
        natives.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
      );
      const transactions = new Map(natives.map((hash, i) => [hash, sent[i] ?? null]));
      return new Map(
        hashes.flatMap((hash, i) => {
          const receipt = receipts[i] ?? null;
          if (receipt === null || integer(fields(receipt).blockNumber) > block.height) return [];
          return [[hash, movedBy(coins, receipt, transactions.get(hash) ?? null)] as const];
        }),
      );
    },
  };
}

const nativeAmong = (asked: readonly AskedTransaction[], { native }: Coins): Set<string> =>
  new Set(asked.flatMap(({ coin, txHash }) => (coin === native ? txHash : [])));

/** What one transaction moves in one coin to one address is one transfer of their sum. */
function movedBy(coins: Coins, receipt: unknown, transaction: unknown): Moved {
  const { status, logs } = fields(receipt);
  if (quantity(status) !== 1n) return [];
  const moves = list(logs).flatMap((log) => coins.tokenTransfer(readLog(log)) ?? []);
  const { to, value } = transaction === null ? { to: null, value: 0n } : readTransaction(transaction);
  const { native } = coins;
  const isNative = native !== null && to !== null && value > 0n && !coins.tokens.has(to);
  const all = [
    ...moves.map((move) => ({ coin: move.coin, address: move.to, units: move.value })),
    ...(isNative ? [{ coin: native, address: to, units: value }] : []),
  ];
  return [...groupBy(all, ({ coin, address }) => `${coin} ${address}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const units = same.reduce((sum, one) => sum + one.units, 0n);
    return { coin: first.coin, address: first.address, amount: coins.amountOf(first.coin, units) };
  });
}
