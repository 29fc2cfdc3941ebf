import { groupBy } from '../../../platform/postgres/db.ts';
import { divide } from '../../../platform/values/money.ts';
import type { NetworkId } from '../networks.ts';
import type { Owned, Watch } from '../port.ts';
import type { Found } from '../scan/cursor.ts';
import type { ChainTraits } from './options.ts';
import type { Transaction } from './proofs/transactions.ts';
import { addressOf } from './scripts.ts';

const COIN = 'BTC';
const [SATOSHI, DECIMALS] = ['100000000', 8];
/** Blocks behind its own, without which nobody can spend what a block made. */
const RIPENS_AFTER = 99;
/** Addresses that are matched with ours in one query: a block may pay thirty thousand. */
const ADDRESSES_A_QUERY = 10_000;
/** Inputs by which a double spend is known: wallets that replace a transaction spend the same ones. */
const MOST_INPUTS = 64;

/** Which addresses are ours, and how the chain writes them. */
export interface Matching {
  readonly network: NetworkId;
  readonly traits: ChainTraits;
  readonly watch: Watch;
}

/** Returns the transfers to us in transactions. Outputs of one to the same address are one of their sum. */
export async function transfersTo(
  { network, traits, watch }: Matching,
  transactions: readonly Transaction[],
): Promise<Found[]> {
  const paid = transactions.flatMap((transaction) => paidBy(transaction, traits));
  const addresses = [...new Set(paid.map(({ address }) => address))];
  const found: Found[] = [];
  for (let i = 0; i < addresses.length; i += ADDRESSES_A_QUERY) {
    const own = await watch.own(network, addresses.slice(i, i + ADDRESSES_A_QUERY));
    found.push(...ownAmong(paid, own));
  }
  return found;
}

/** Returns what transactions move, to anybody. */
export function transfersIn(transactions: readonly Transaction[], traits: ChainTraits): Found[] {
  const paid = transactions.flatMap((transaction) => paidBy(transaction, traits));
  return ownAmong(paid, { size: paid.length, has: () => true });
}

interface Paid {
  readonly transaction: Transaction;
  readonly address: string;
  readonly value: bigint;
}

function paidBy(transaction: Transaction, traits: ChainTraits): Paid[] {
  return transaction.outputs.flatMap(({ script, value }) => {
    const address = value === 0n ? null : addressOf(script, traits);
    return address === null ? [] : { transaction, address, value };
  });
}

function ownAmong(paid: readonly Paid[], own: Owned): Found[] {
  if (own.size === 0) return [];
  const ours = groupBy(
    paid.filter(({ address }) => own.has(address)),
    ({ transaction, address }) => `${transaction.id} ${address}`,
  );
  return [...ours.values()].flatMap(summed).filter((one) => own.takes?.(one) ?? true);
}

/** Who pays is not known: several may have signed, for inputs that say nothing of it. */
function summed(same: readonly Paid[]): Found[] {
  const [first] = same;
  if (first === undefined) return [];
  const { id: txHash, inputs, coinbase } = first.transaction;
  const satoshi = same.reduce((sum, { value }) => sum + value, 0n);
  return [
    {
      txHash,
      coin: COIN,
      address: first.address,
      sender: null,
      amount: divide(String(satoshi), SATOSHI, DECIMALS, 'down'),
      from: null,
      nonce: null,
      inputs: inputs.slice(0, MOST_INPUTS),
      ...(coinbase !== null && { ripensAfter: RIPENS_AFTER }),
    },
  ];
}

/** Returns which of some transactions spend outputs, by the output. */
export function spendersOf(
  transactions: readonly Transaction[],
  spent: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  return new Map(
    transactions.flatMap(({ id, inputs }) =>
      inputs.filter((input) => spent.has(input)).map((input) => [input, id] as const),
    ),
  );
}
