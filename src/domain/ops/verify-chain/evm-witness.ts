import { unitsOfMany } from '../../chain/evm/calls/many-balances.ts';
import { readLog } from '../../chain/evm/proofs/receipts.ts';
import { readTransaction, type Transaction } from '../../chain/evm/proofs/transactions.ts';
import { fields, integer, list, quantity } from '../../chain/evm/proofs/values.ts';
import { headerAt } from '../../chain/evm/read.ts';
import { checkChain } from '../../chain/evm/scan.ts';
import { innerMovesOf } from '../../chain/evm/traces.ts';
import { Coins } from '../../chain/evm/transfers.ts';
import type { Holding } from '../../chain/port.ts';
import { realChains } from '../../chain/profile.ts';
import { inParts } from '../../chain/rpc/in-parts.ts';
import type { JsonRpc } from '../../chain/rpc/json-rpc.ts';
import { demand } from '../../chain/rpc/refused.ts';
import type { Context } from '../../../platform/context.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import { askedOf, type AskedTransaction, type Moved, type Opening, type Witness } from './witness.ts';

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
      const byHash = groupBy(asked, ({ txHash }) => txHash);
      const from = { provider, coins, height: block.height };
      return new Map(await inParts([...byHash], (some) => movedAmong(from, some)));
    },
  };
}

interface From {
  readonly provider: JsonRpc;
  readonly coins: Coins;
  readonly height: number;
}

async function movedAmong(
  { provider, coins, height }: From,
  asked: readonly (readonly [hash: string, of: readonly AskedTransaction[]])[],
) {
  const receipts = await provider.batch(
    asked.map(([hash]) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
  const natives = asked.filter(([, of]) => of.some(({ coin }) => coin === coins.native));
  const sent = await provider.batch(
    natives.map(([hash]) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
  );
  const transactions = new Map(natives.map(([hash], i) => [hash, sent[i] ?? null]));
  const found: (readonly [string, Moved])[] = [];
  for (const [i, [hash, of]] of asked.entries()) {
    const receipt = receipts[i] ?? null;
    if (receipt === null || integer(fields(receipt).blockNumber) > height) continue;
    const transaction = transactions.get(hash) ?? null;
    const native =
      transaction === null ? [] : await movedNatively(provider, readTransaction(transaction), of);
    found.push([hash, askedOf(movedBy(coins, receipt, native), of)]);
  }
  return found;
}

type NativeMove = Pick<Transaction, 'to' | 'value'>;

/** What names another receiver pays by a contract: its traces tell, where the node has them. */
async function movedNatively(
  provider: JsonRpc,
  { hash, to, value }: Transaction,
  of: readonly AskedTransaction[],
): Promise<readonly NativeMove[]> {
  const pays = of.some(({ address }) => address === null || address.toLowerCase() === to);
  return [{ to, value }, ...(pays ? [] : await innerMovesOf(provider, hash))];
}

/** What one transaction moves in one coin to one address is one transfer of their sum. */
function movedBy(coins: Coins, receipt: unknown, natives: readonly NativeMove[]): Moved {
  const { status, logs } = fields(receipt);
  if (quantity(status) !== 1n) return [];
  const moves = list(logs).flatMap((log) => coins.tokenTransfer(readLog(log)) ?? []);
  const { native } = coins;
  const all = [
    ...moves.map((move) => ({ coin: move.coin, address: move.to, units: move.value })),
    ...natives.flatMap(({ to, value }) =>
      native !== null && to !== null && value > 0n && !coins.tokens.has(to)
        ? [{ coin: native, address: to, units: value }]
        : [],
    ),
  ];
  return [...groupBy(all, ({ coin, address }) => `${coin} ${address}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const units = same.reduce((sum, one) => sum + one.units, 0n);
    return { coin: first.coin, address: first.address, amount: coins.amountOf(first.coin, units) };
  });
}
