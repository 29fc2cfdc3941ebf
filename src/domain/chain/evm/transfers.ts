import { groupBy } from '../../../platform/postgres/db.ts';
import { divide } from '../../../platform/values/money.ts';
import { decimalsOf, COINS_ON_NETWORKS, tokenContract, type CoinId } from '../coins.ts';
import type { NetworkId } from '../networks.ts';
import type { ChainProfile } from '../profile.ts';
import { claimsOf } from '../scan/claims.ts';
import type { Found, Mined } from '../scan/cursor.ts';
import { bloomBits, mayHold, type Header } from './proofs/header.ts';
import type { Log, Receipt } from './proofs/receipts.ts';
import { isSigned, proveSender, type Transaction } from './proofs/transactions.ts';

/** Transfer(address indexed from, address indexed to, uint256 value), ERC-20. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TOPIC_BITS = bloomBits(TRANSFER_TOPIC);
/** transfer(address,uint256), and transferFrom(address,address,uint256). */
const TRANSFER_CALL = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})/;
const TRANSFER_FROM_CALL = /^0x23b872dd0{24}([0-9a-f]{40})0{24}([0-9a-f]{40})([0-9a-f]{64})/;

/** The coins of a network: what is native to it, and the contracts of its tokens in lower case. */
export class Coins {
  readonly network: NetworkId;
  readonly native: CoinId | null;
  readonly tokens: ReadonlyMap<string, CoinId>;
  readonly #bits: readonly (readonly number[])[];

  constructor(network: NetworkId, contractOf: ChainProfile['contractOf'] = tokenContract) {
    this.network = network;
    const coins = COINS_ON_NETWORKS.filter((one) => one.network === network).map(({ coin }) => coin);
    this.native = coins.find((coin) => contractOf(coin, network) === null) ?? null;
    this.tokens = new Map(
      coins.flatMap((coin) => {
        const contract = contractOf(coin, network);
        return typeof contract !== 'string' ? [] : [[contract.toLowerCase(), coin] as const];
      }),
    );
    this.#bits = [...this.tokens.keys()].map(bloomBits);
  }

  /** False: no log of the block is a transfer of one of the tokens. */
  mayMoveTokens(header: Header): boolean {
    return mayHold(header, TOPIC_BITS) && this.#bits.some((bits) => mayHold(header, bits));
  }

  /** Returns the transfer of one of the tokens that a log tells of; null: it tells of none. */
  tokenTransfer({ address, topics, data }: Log): TokenTransfer | null {
    const coin = this.tokens.get(address);
    const [topic, from, to] = topics;
    // A token with the same topic and four topics numbers things; it is no coin.
    if (coin === undefined || topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== 32)
      return null;
    if (from === undefined || to === undefined) return null;
    // Spam moves nothing, so that its address is near the right one in a wallet's history.
    const value = BigInt(`0x${data.toString('hex')}`);
    return value === 0n ? null : { coin, from: addressOf(from), to: addressOf(to), value };
  }

  /** Returns the transfer that a transaction would make; null: it is none that is known here. */
  intended({
    from,
    to,
    value,
    input,
  }: Pick<Transaction, 'from' | 'to' | 'value' | 'input'>): TokenTransfer | null {
    if (to === null) return null;
    const coin = this.tokens.get(to);
    if (coin === undefined)
      return this.native === null || value === 0n ? null : { coin: this.native, from, to, value };
    const data = input.toLowerCase();
    const [, receiver, units] = TRANSFER_CALL.exec(data) ?? [];
    const [, owner, ownReceiver, ownUnits] = TRANSFER_FROM_CALL.exec(data) ?? [];
    const address = receiver ?? ownReceiver;
    const moved = BigInt(`0x${units ?? ownUnits ?? '0'}`);
    if (address === undefined || moved === 0n) return null;
    return { coin, from: owner === undefined ? from : `0x${owner}`, to: `0x${address}`, value: moved };
  }

  /** Returns units of a coin as a decimal string. */
  amountOf(coin: CoinId, units: bigint): string {
    const decimals = decimalsOf(coin, this.network);
    return divide(String(units), String(10n ** BigInt(decimals)), decimals, 'down');
  }
}

export interface TokenTransfer {
  readonly coin: CoinId;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

const addressOf = (topic: string): string => `0x${topic.slice(-40)}`;

/** Returns where a block's transactions and logs move coins to. */
export function receiversIn(
  coins: Coins,
  transactions: readonly Transaction[],
  receipts: readonly Pick<Receipt, 'logs'>[],
): string[] {
  const moved = [
    ...transactions.flatMap(({ to, value }) =>
      coins.native !== null && to !== null && value > 0n ? to : [],
    ),
    ...receipts.flatMap(({ logs }) => logs.flatMap((log) => coins.tokenTransfer(log)?.to ?? [])),
  ];
  return [...new Set(moved)];
}

/**
 * Returns the transfers to our addresses in a block. What one transaction moves in one coin to one address is
 * one transfer of their sum.
 */
export function transfersIn(
  coins: Coins,
  { transactions, receipts }: { transactions: readonly Transaction[]; receipts: readonly Receipt[] },
  own: Pick<ReadonlySet<string>, 'has'>,
  inner: { get(hash: string): readonly Omit<TokenTransfer, 'coin'>[] | undefined } = new Map(),
): Found[] {
  return transactions.flatMap((transaction, index) => {
    const receipt = receipts[index];
    if (receipt === undefined || !receipt.hasSucceeded) return [];
    const { to, value, from } = transaction;
    const isNative = coins.native !== null && to !== null && value > 0n && !coins.tokens.has(to);
    const moves: TokenTransfer[] = [
      ...(isNative ? [{ coin: coins.native, from, to, value }] : []),
      ...(inner.get(transaction.hash) ?? []).map((move) => ({ ...move, coin: coins.native })),
      ...receipt.logs.flatMap((log) => coins.tokenTransfer(log) ?? []),
    ].filter((move): move is TokenTransfer => move.coin !== null && own.has(move.to));
    return summed(coins, transaction, moves);
  });
}

/** Returns what a transaction moves to us, summed by address and coin. Several senders are none. */
export function summed(coins: Coins, transaction: Transaction, moves: readonly TokenTransfer[]): Found[] {
  const byPlace = groupBy(moves, ({ coin, to }) => `${coin} ${to}`);
  return [...byPlace.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { coin, from, to } = first;
    const units = same.reduce((sum, { value }) => sum + value, 0n);
    return {
      txHash: transaction.hash,
      coin,
      address: to,
      sender: same.every((move) => move.from === from) ? from : null,
      amount: coins.amountOf(coin, units),
      from: transaction.from,
      nonce: transaction.nonce,
    };
  });
}

/** Returns what a block has that decides about transfers: who sends its transactions is proven when asked. */
export function minedOf({
  header: { height, hash, time },
  transactions,
}: {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}): Mined {
  const claimed = (transaction: Transaction, claims: ReadonlySet<string>) => {
    const [claim] = claimsOf(transaction);
    if (claim === undefined || !claims.has(claim)) return [];
    proveSender(transaction);
    return [[claim, transaction.hash] as const];
  };
  return {
    height,
    hash,
    time,
    claimants: (claims) => new Map(transactions.filter(isSigned).flatMap((one) => claimed(one, claims))),
  };
}
