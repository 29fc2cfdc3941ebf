import type { CoinId } from '../../chain/coins.ts';
import { argumentsOf, movedByDeployment } from '../../chain/wallets/forwarder.ts';
import type { DerivableWallet } from '../../chain/wallets/families.ts';
import { isFault } from '../../chain/rpc/questions.ts';
import { openWallet, WalletError } from '../../chain/wallets/open.ts';
import type { Wallet } from '../../chain/wallets/store.ts';
import type { Context } from '../../../platform/context.ts';
import { min, multiply, sum } from '../../../platform/values/money.ts';
import type { Candidate } from './candidates.ts';
import { contractOf, unitsAt, withCode, type Node, type Place } from './node.ts';
import type { SeenDeposit } from './store.ts';

/** A deposit address whose money is there now. */
export interface Deposit {
  readonly payment_id: string;
  readonly address: string;
  readonly salt: string;
  /** What its deployment is called with, behind the code. */
  readonly arguments: Uint8Array;
  readonly isDeployed: boolean;
  /** The contracts of what it holds; null: the native coin. */
  readonly holds: readonly (string | null)[];
  /** Those that its deployment does not move: tokens that were listed later. */
  readonly listedLater: readonly string[];
  /** What moves, as far as the service knows of it, in US dollars. */
  readonly usd: string;
  /** Flushes in a row that left something of it. */
  readonly tries: number;
}

/** A candidate whose address was derived again. */
export interface Derived extends Omit<Candidate, 'address'> {
  readonly address: string;
  readonly wallet: Wallet;
  readonly salt: string;
}

/**
 * Derives the addresses of candidates again, from wallets whose MAC is right: nothing else is signed. Returns
 * those that are as stored, and says what is wrong with others.
 */
export function deriveAgain(
  { config }: Pick<Context, 'config'>,
  all: readonly Wallet[],
  candidates: readonly Candidate[],
): { readonly derived: readonly Derived[]; readonly faults: readonly string[] } {
  const wallets = new Map(all.map((wallet) => [wallet.id, wallet]));
  const opened = new Map<string, DerivableWallet | null>();
  const faults: string[] = [];
  const derived = candidates.flatMap((candidate) => {
    const { wallet_id: id, deposit_index: index, address, payment_id } = candidate;
    const wallet = wallets.get(id);
    if (wallet === undefined) return [];
    if (!opened.has(id)) opened.set(id, openOrSay({ config }, wallet, faults));
    const own = opened.get(id);
    if (!own) return [];
    const again = own.addressAt(index);
    if (address === null || again === address)
      return [{ ...candidate, address: again, wallet, salt: own.pathAt(index) }];
    faults.push(
      `Payment ${payment_id} has another address than index ${index} of its wallet: its row was changed`,
    );
    return [];
  });
  return { derived, faults };
}

function openOrSay(
  { config }: Pick<Context, 'config'>,
  wallet: Wallet,
  faults: string[],
): DerivableWallet | null {
  try {
    return openWallet(config, wallet);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    faults.push(error.message);
    return null;
  }
}

interface Holding extends Place {
  readonly of: Derived;
}

const holdingsOf = (derived: readonly Derived[]): Holding[] =>
  derived.flatMap((of) =>
    Object.keys(of.amounts).map((coin) => ({ of, address: of.address, coin: coin as CoinId })),
  );

/**
 * Returns what the final block says of candidates: where nothing was left, the money has gone, whoever moved
 * it. `isTried`: a final flush included them, so that what is left is what it could not move.
 */
export async function lookAtFinal(
  node: Node,
  derived: readonly Derived[],
  isTried: boolean,
): Promise<readonly SeenDeposit[]> {
  const holdings = holdingsOf(derived);
  const units = await unitsAt(node, holdings, node.final);
  const unheld = holdings.filter((holding) => units.get(holding) === 0n);
  const empty = await trulyEmpty(node, unheld, node.final);
  return holdings.flatMap((holding) => {
    const { coin, of } = holding;
    const isLeft = isTried && (units.get(holding) ?? 0n) > 0n;
    if (!isLeft && !empty.has(holding)) return [];
    return { payment_id: of.payment_id, coin, empty_at: isLeft ? null : node.final };
  });
}

/**
 * Returns those of the places that may be believed to be empty after a block: money leaves a forwarder by its
 * code alone, and no other provider says that something is there. An address that is taken to be empty is
 * looked at no more, so that one wrong answer would keep its money where it is.
 */
async function trulyEmpty(
  node: Node,
  places: readonly Holding[],
  block: number,
): Promise<ReadonlySet<Holding>> {
  const addresses = [...new Set(places.map(({ address }) => address))];
  const deployed = await withCode(node, addresses, block);
  let empty = places.filter(({ address }) => deployed.has(address));
  for (const provider of node.all.filter((one) => one !== node.provider)) {
    const said = await unitsAt({ ...node, provider }, empty, block).catch((error: unknown) => {
      if (isFault(error)) return new Map<Place, bigint>();
      throw error;
    });
    empty = empty.filter((place) => (said.get(place) ?? 0n) === 0n);
  }
  return new Set(empty);
}

/**
 * Returns the candidates that hold something in the newest block, with what a flush must know of them, and of
 * which coins the node does not say what they hold.
 */
export async function lookAtNow(
  node: Node,
  derived: readonly Derived[],
  usdOf: (coin: CoinId) => string | null,
): Promise<{ readonly deposits: readonly Deposit[]; readonly faults: readonly string[] }> {
  const holdings = holdingsOf(derived);
  const units = await unitsAt(node, holdings, 'latest');
  const held = holdings.filter((holding) => (units.get(holding) ?? 0n) > 0n);
  const owners = [...new Set(held.map(({ of }) => of))];
  const deployed = await withCode(
    node,
    owners.map(({ address }) => address),
    'latest',
  );
  const unread = [...new Set(holdings.flatMap((one) => (units.has(one) ? [] : one.coin)))];
  const faults = unread.map((coin) => `Provider ${node.provider.name} does not say who holds ${coin}`);
  const worth = (holding: Holding): string => {
    const { coin, of } = holding;
    // A node that says more than what came does not make more move.
    const amount = min(of.amounts[coin] ?? '0', node.coins.amountOf(coin, units.get(holding) ?? 0n));
    return multiply(amount, usdOf(coin) ?? '0');
  };
  const deposits = owners.map((of) => {
    const own = held.filter((holding) => holding.of === of);
    const holds = own.map(({ coin }) => contractOf(node.coins, coin));
    const moved = movedByDeployment(of.wallet.public_data);
    return {
      payment_id: of.payment_id,
      address: of.address,
      salt: of.salt,
      arguments: argumentsOf(of.wallet.public_data),
      isDeployed: deployed.has(of.address),
      holds,
      listedLater: holds.flatMap((token) => (token === null || moved.includes(token) ? [] : token)),
      usd: sum(own.map(worth)),
      tries: of.tries,
    };
  });
  return { deposits, faults };
}
