import type { CoinId } from '../../chain/coins.ts';
import { argumentsOf, movedByDeployment } from '../../chain/wallets/forwarder.ts';
import type { DerivableWallet } from '../../chain/wallets/families.ts';
import { openWallet, WalletError } from '../../chain/wallets/open.ts';
import { listWallets, type Wallet } from '../../chain/wallets/store.ts';
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
export async function deriveAgain(
  { db, config }: Pick<Context, 'db' | 'config'>,
  candidates: readonly Candidate[],
): Promise<{ readonly derived: readonly Derived[]; readonly faults: readonly string[] }> {
  const wallets = new Map((await listWallets(db, null)).map((wallet) => [wallet.id, wallet]));
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
  return holdings.flatMap((holding) => {
    const { coin, of } = holding;
    const left = units.get(holding);
    if (left === undefined || (left > 0n && !isTried)) return [];
    return { payment_id: of.payment_id, coin, empty_at: left === 0n ? node.final : null };
  });
}

/** Returns the candidates that hold something in the newest block, with what a flush must know of them. */
export async function lookAtNow(
  node: Node,
  derived: readonly Derived[],
  usdOf: (coin: CoinId) => string | null,
): Promise<readonly Deposit[]> {
  const holdings = holdingsOf(derived);
  const units = await unitsAt(node, holdings, 'latest');
  const held = holdings.filter((holding) => (units.get(holding) ?? 0n) > 0n);
  const owners = [...new Set(held.map(({ of }) => of))];
  const deployed = await withCode(
    node,
    owners.map(({ address }) => address),
  );
  const worth = (holding: Holding): string => {
    const { coin, of } = holding;
    // A node that says more than what came does not make more move.
    const amount = min(of.amounts[coin] ?? '0', node.coins.amountOf(coin, units.get(holding) ?? 0n));
    return multiply(amount, usdOf(coin) ?? '0');
  };
  return owners.map((of) => {
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
    };
  });
}
